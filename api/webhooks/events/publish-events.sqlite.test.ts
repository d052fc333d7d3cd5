import { describe } from 'vitest';
import { useSqlite } from '../../../test/support/accounts/control-databases.ts';
import { describeEvents } from './publish-events.contract.ts';

describe('on SQLite', () => {
  describeEvents('SQLite', useSqlite());
});
