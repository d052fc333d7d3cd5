import { useMigratedSqlite } from '../../../test/support/accounts/control-databases.ts';
import { describePeople } from './people.contract.ts';

describePeople('SQLite', useMigratedSqlite());
