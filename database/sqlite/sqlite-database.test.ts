import { useSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeControlDatabase } from '../database.contract.ts';

describeControlDatabase('SQLite', useSqlite());
