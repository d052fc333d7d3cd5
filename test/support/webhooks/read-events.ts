import { ReleaseChanges } from '../../../api/webhooks/events/release-changes.ts';
import type { ChangeEvent, ChangeTopic } from '../../../api/webhooks/topics/topics.ts';
import { getEntry, loadCatalog, loadRelease } from '../../../storage/catalog.ts';
import { NIGHT_SETTINGS, type TemporaryStore } from '../pipeline/temporary-store.ts';
import { newFolder } from '../temporary-folder.ts';

export interface ReadEventsOptions {
  readonly day: string;
  /** The day of the release before. */
  readonly before: string;
  readonly topics: ReadonlySet<ChangeTopic>;
  /** Models that filters name. */
  readonly watched?: readonly string[];
}

/** The events of the changes that a release has in the feed, by seq. */
export async function readEvents(
  { deps }: TemporaryStore,
  { day, before, topics, watched = [] }: ReadEventsOptions,
): Promise<readonly ChangeEvent[]> {
  const { store, versions } = deps;
  const { catalog } = await loadCatalog(store);
  const release = await loadRelease(store, getEntry(catalog, day));
  const previous = await loadRelease(store, getEntry(catalog, before));
  const input = { release, previous, topics, watchedModels: new Set(watched), folder: await newFolder() };
  const changes = await ReleaseChanges.open(input, { store, duckdb: NIGHT_SETTINGS.duckdb, versions });
  try {
    const events: ChangeEvent[] = [];
    for await (const page of changes.pagesAfter(0)) events.push(...page);
    return events;
  } finally {
    changes.close();
  }
}
