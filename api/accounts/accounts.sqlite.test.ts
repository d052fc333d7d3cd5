import { useSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeAccounts } from './accounts.contract.ts';

describeAccounts('SQLite', useSqlite());
