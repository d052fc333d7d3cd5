import { join } from 'node:path';
import type { ControlDatabase } from '../../../api/database/control-database.ts';
import {
  EventPublisher,
  type EventPublisherDeps,
  type PublisherEvent,
} from '../../../api/webhooks/events/publish-events.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { NIGHT_SETTINGS, type TemporaryStore } from '../pipeline/temporary-store.ts';

let publishers = 0;

/**
 * Another dispatcher over a temporary store, or over another one instead, with all that it reports. Its clock stands in June 2026
 * unless given.
 */
export function openPublisher(
  { deps, folder }: TemporaryStore,
  control: ControlDatabase,
  more: Partial<EventPublisherDeps> & { readonly store?: ObjectStore } = {},
) {
  publishers += 1;
  const events: PublisherEvent[] = [];
  const publisher = new EventPublisher({
    store: deps.store,
    versions: deps.versions,
    duckdb: NIGHT_SETTINGS.duckdb,
    control,
    id: `dispatcher-${publishers}`,
    clock: () => new Date('2026-06-10T12:00:00Z'),
    workFolder: workFolderOf(folder),
    onEvent: (event) => events.push(event),
    ...more,
  });
  return { publisher, events };
}

/** Where the files of a temporary store's dispatchers go. */
export function workFolderOf(storeFolder: string): string {
  return join(storeFolder, '../dispatcher');
}
