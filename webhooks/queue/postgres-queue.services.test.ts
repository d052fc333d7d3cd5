import { describeOnPostgres } from '../../test/support/accounts/control-databases.ts';
import { describeDeliveryQueue } from './delivery-queue.contract.ts';

describeOnPostgres((another) => describeDeliveryQueue('PostgreSQL', another));
