import type { ControlDatabase } from '../../database/control-database.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { PostgresQueue } from './postgres-queue.ts';
import { SqliteQueue } from './sqlite-queue.ts';

/** The queue in a control database. */
export function openQueue({ kysely, engine }: ControlDatabase): DeliveryQueue {
  switch (engine.kind) {
    case 'sqlite':
      return new SqliteQueue(kysely, engine);
    case 'postgres':
      return new PostgresQueue(kysely, engine);
  }
}
