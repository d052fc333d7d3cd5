import type { CatalogEntry } from '../../../schemas/catalog.ts';
import type { Release } from '../../../schemas/release.ts';
import { loadRelease } from '../../../storage/catalog.ts';
import {
  CHANGE_TOPIC_DEFINITIONS,
  type ChangeEvent,
  type ChangeTopic,
  RELEASE_TOPIC_DEFINITIONS,
} from '../topics/topics.ts';
import { isInFeed } from './comparison.ts';
import { EventWriter, type EventWriterDeps } from './event-writer.ts';
import type { Place } from './progress.ts';
import { ReleaseChanges, type ReleaseChangesDeps } from './release-changes.ts';
import {
  changeTopicsOf,
  DigestCollector,
  type RecipientsOf,
  readSubscriptions,
  recipientsFrom,
  type SkippedEndpoint,
  type Subscription,
} from './subscriptions.ts';

export interface PublishReleaseInput {
  /** The store's identity. */
  readonly record: string;
  readonly entry: CatalogEntry;
  /** The release before it. */
  readonly before: CatalogEntry;
  /** The progress: the end of the release before, or later. */
  readonly place: Place;
  /** For files; the caller removes it. */
  readonly folder: string;
}

export type PublishReleaseDeps = ReleaseChangesDeps & EventWriterDeps;

export interface Written {
  readonly events: number;
  readonly deliveries: number;
  readonly skipped: readonly SkippedEndpoint[];
}

/**
 * Turns one release into events (specification "From changes to events"): those of its changes, by `seq`; those outside
 * the feed, and digests; then the release's own, which complete it. After an interruption the next call continues
 * behind the last written change and rebuilds all events outside the feed. Recipients are fixed when a call begins.
 * Rejects like `ReleaseChanges.open` and `EventWriter`.
 */
export async function publishRelease(input: PublishReleaseInput, deps: PublishReleaseDeps): Promise<Written> {
  const { record, entry, place } = input;
  const publishedAt = new Date(entry.published_at);
  const { subscriptions, skipped } = await readSubscriptions(deps.control.kysely, publishedAt);
  const writer = new EventWriter({ record, publishedAt, place }, deps);
  const end: Place = { day: entry.day, seq: entry.last_seq };
  if (subscriptions.length === 0) {
    await writer.finish(end);
    return { ...writer.written, skipped };
  }
  const release = await loadRelease(deps.store, entry);
  const singles = subscriptions.filter(({ mode }) => mode === 'each');
  const digests = subscriptions.filter(({ mode }) => mode === 'digest');
  const collector = new DigestCollector(digests);
  const recipientsOf = recipientsFrom(singles);
  await withChanges(release, { ...input, subscriptions }, deps, async (changes) => {
    if (changeTopicsOf(singles).size > 0) await writeEach(changes.pagesAfter(place.seq), writer, recipientsOf);
    if (changeTopicsOf(digests).size > 0) await collectAll(changes.pagesAfter(input.before.last_seq), collector);
    for await (const page of changes.pagesOutsideFeed()) {
      for (const event of page) {
        collector.add(event);
        await writer.addOutsideFeed(event, recipientsOf(event));
      }
    }
  });
  const last = RELEASE_TOPIC_DEFINITIONS.map((topic) => topic.eventFromRelease(release));
  for (const event of last) collector.add(event);
  for (const digest of collector.digests()) await writer.addDigest(digest);
  await writer.finish(
    end,
    last.map((event) => ({ event, recipients: recipientsOf(event) })),
  );
  return { ...writer.written, skipped };
}

type Pages = AsyncIterable<readonly ChangeEvent[]>;

async function writeEach(pages: Pages, writer: EventWriter, recipientsOf: RecipientsOf): Promise<void> {
  for await (const page of pages) {
    for (const event of page) await writer.add(event, recipientsOf(event));
    await writer.flush();
  }
}

async function collectAll(pages: Pages, collector: DigestCollector): Promise<void> {
  for await (const page of pages) {
    for (const event of page) collector.add(event);
  }
}

/** Skipped if no subscribed topic can have events. */
async function withChanges(
  release: Release,
  { before, folder, subscriptions }: PublishReleaseInput & { readonly subscriptions: readonly Subscription[] },
  deps: PublishReleaseDeps,
  work: (changes: ReleaseChanges) => Promise<void>,
): Promise<void> {
  const topics = changeTopicsOf(subscriptions);
  if (!mayHaveEvents(release, topics)) return;
  const previous = await loadRelease(deps.store, before);
  const watchedModels = new Set(subscriptions.flatMap(({ models }) => models));
  const changes = await ReleaseChanges.open({ release, previous, topics, watchedModels, folder }, deps);
  try {
    await work(changes);
  } finally {
    changes.close();
  }
}

/** Even without a change in the feed some may be outside it. */
function mayHaveEvents({ first_seq }: Release, topics: ReadonlySet<ChangeTopic>): boolean {
  const definitions = CHANGE_TOPIC_DEFINITIONS.filter(({ name }) => topics.has(name));
  return definitions.some((topic) => first_seq !== null || !isInFeed(topic));
}
