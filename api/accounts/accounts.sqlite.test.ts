import { describe } from 'vitest';
import { useSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeAccounts } from './accounts.contract.ts';

describe('on SQLite', () => {
  describeAccounts('SQLite', useSqlite());
});
