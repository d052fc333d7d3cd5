import { describe } from 'vitest';
import { useMigratedSqlite } from '../../test/support/accounts/control-databases.ts';
import { describeAdministration } from './administration.contract.ts';
import { describeStates } from './delivery/states.contract.ts';
import { describeEvents } from './events/publish-events.contract.ts';
import { describeDeliveryQueue } from './queue/delivery-queue.contract.ts';
import { describeReplay } from './replay.contract.ts';

describe('on SQLite', () => {
  const another = useMigratedSqlite();
  describeAdministration('SQLite', another);
  describeReplay('SQLite', another);
  describeEvents('SQLite', another);
  describeDeliveryQueue('SQLite', another);
  describeStates('SQLite', async () => 'sqlite::memory:');
});
