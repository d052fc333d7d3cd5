import { describe } from 'vitest';
import { describeParallel, openParallelApi } from './parallel.contract.ts';

describe('on SQLite', () => {
  describeParallel('SQLite', openParallelApi);
});
