import { describe } from 'vitest';
import { useMigratedSqlite } from '../../../test/support/accounts/control-databases.ts';
import { describeEvents } from './publish-events.contract.ts';

describe('on SQLite', () => {
  describeEvents('SQLite', useMigratedSqlite());
});
