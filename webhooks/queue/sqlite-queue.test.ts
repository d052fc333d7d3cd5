import { useSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeDeliveryQueue } from './delivery-queue.contract.ts';

describeDeliveryQueue('SQLite', useSqlite());
