import { describe } from 'vitest';
import { temporarySqlite } from '../support/processes/serve-sample.ts';
import { describeServeKill } from './kill.contract.ts';

describe('on SQLite', () => {
  describeServeKill('SQLite', temporarySqlite);
});
