import { useSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeEvents } from './publish-events.contract.ts';

describeEvents('SQLite', useSqlite());
