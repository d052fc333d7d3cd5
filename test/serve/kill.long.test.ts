import { describeServeKill, temporarySqlite } from './kill.contract.ts';

describeServeKill('SQLite', temporarySqlite);
