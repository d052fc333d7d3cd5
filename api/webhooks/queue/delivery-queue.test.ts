import { describe } from 'vitest';
import { useSqlite } from '../../../test/support/accounts/control-databases.ts';
import { describeStates } from '../delivery/states.contract.ts';
import { describeDeliveryQueue } from './delivery-queue.contract.ts';

describe('on SQLite', () => {
  describeDeliveryQueue('SQLite', useSqlite());
  describeStates('SQLite', async () => 'sqlite::memory:');
});
