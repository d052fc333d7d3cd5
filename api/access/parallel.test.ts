import { describeParallel, openParallelApi } from './parallel.contract.ts';

describeParallel('SQLite', openParallelApi);
