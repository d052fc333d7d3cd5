import { describe } from 'vitest';
import { useMigratedSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeDigests } from './digests.contract.ts';

describe('on SQLite', () => {
  describeDigests('SQLite', useMigratedSqlite());
});
