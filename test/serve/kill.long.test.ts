import { describe } from 'vitest';
import { describeServeKill, temporarySqlite } from './kill.contract.ts';

describe('on SQLite', () => {
  describeServeKill('SQLite', temporarySqlite);
});
