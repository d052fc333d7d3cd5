import { describe } from 'vitest';
import { describeStates } from './states.contract.ts';

describe('many orders', () => {
  describeStates('SQLite', async () => 'sqlite::memory:');
});
