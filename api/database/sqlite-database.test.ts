import { describe } from 'vitest';
import { useSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeControlDatabase } from './database.contract.ts';

describe('on SQLite', () => {
  describeControlDatabase('SQLite', useSqlite());
});
