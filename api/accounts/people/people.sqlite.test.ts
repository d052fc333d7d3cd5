import { describe } from 'vitest';
import { useMigratedSqlite } from '../../../test/support/accounts/control-databases.ts';
import { describePeople } from './people.contract.ts';

describe('on SQLite', () => {
  describePeople('SQLite', useMigratedSqlite());
});
