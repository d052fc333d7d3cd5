import { describeStates } from './states.contract.ts';

describeStates('SQLite', async () => 'sqlite::memory:');
