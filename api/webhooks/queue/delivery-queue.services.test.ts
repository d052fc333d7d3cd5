import { describe } from 'vitest';
import { describeOnPostgres } from '../../../test/support/accounts/control-databases.ts';
import { describeStates } from '../delivery/states.contract.ts';
import { describeDeliveryQueue } from './delivery-queue.contract.ts';

describe('on PostgreSQL', () => {
  describeOnPostgres((another) => {
    describeDeliveryQueue('PostgreSQL', another);
    describeStates('PostgreSQL', another);
  });
});
