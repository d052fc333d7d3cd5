import { describe } from 'vitest';
import { useMigratedSqlite } from '../../../test/support/accounts/control-databases.ts';
import { describeStates } from '../delivery/states.contract.ts';
import { describeDeliveryQueue } from './delivery-queue.contract.ts';

describe('on SQLite', () => {
  describeDeliveryQueue('SQLite', useMigratedSqlite());
  describeStates('SQLite', async () => 'sqlite::memory:');
});
