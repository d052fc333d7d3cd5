import { describeParallel } from './parallel.contract.ts';

describeParallel('SQLite', 1, async () => ({ close: async () => {} }));
