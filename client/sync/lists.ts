import { AppError } from '../../runtime/errors.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import { SCHEMA_VERSION } from '../../schemas/record-versions.ts';
import type { Answer, ModelstatsClient } from '../client.ts';
import { AnswerTooLargeError, type ClientError } from '../errors.ts';
import type { Page } from '../filters.ts';
import { LIMITED_BY } from '../read-response.ts';
import { contentHashes } from './content.ts';
import type { Files, SyncDeps, SyncResult, SyncState } from './copy.ts';
import { type AnyRecord, compareKeys, keyOf, writeLines } from './json-lines.ts';
import { type MadeOf, madeOf } from './read-snapshots.ts';

/** The datasets that lists have; prices stand only with each model, a request each. */
const LISTED = ['models', 'benchmarks', 'scores', 'rankings'] as const;
type ListedName = (typeof LISTED)[number];

/** How often a night may come in between. */
const ROUNDS_MAX = 3;

/** How many times the largest answer all lists of a copy may have together; a list is sorted in memory. */
const LISTS_OF_RESPONSES = 8;

/** The tags of the lists that a copy was made of. */
type Etags = Pick<MadeOf, ListedName>;

/**
 * Makes the copy from the lists of current data, for a plan without snapshots: every page of each list, all from one release. A
 * list that did not change since costs nothing, unless something else wrote into the copy: then all are read. Rejects as the calls do, `unavailable` where nights come in between again and again,
 * `usage` where the copy was made of a snapshot, which has more.
 */
export async function syncLists(reason: ClientError, deps: SyncDeps): Promise<SyncResult> {
  const { client, copy, scratch, clock } = deps;
  const before = await copy.state();
  if (before !== undefined && before.cursor !== null) {
    const message = `${reason.message}: the copy stays as of ${before.data_as_of}; lists without prices would not take its place`;
    throw new AppError('usage', message, { cause: reason });
  }
  const own = before?.url === client.url ? before : undefined;
  const changed = own === undefined ? [] : await changedDatasets(own, deps);
  const known: MadeOf = own === undefined || changed.length > 0 ? {} : madeOf(own);
  const { files, etags, dataAsOf } = await readLists(known, deps);
  const isNew = own === undefined || Object.keys(files).length > 0;
  const data_as_of = dataAsOf ?? own?.data_as_of ?? '';
  if (isNew) {
    const pricing = await scratch.path('list.pricing.jsonl');
    await writeLines(pricing, []);
    const state = { url: client.url, data_as_of, synced_at: clock().toISOString(), etags: JSON.stringify(etags) };
    const replaced: Files = { ...files, pricing };
    const nothing = { upserts: {}, deletes: {}, events: undefined, dropsEvents: true };
    await copy.update({ ...nothing, replaced, state: { ...NO_FEED, ...state } });
  }
  if (isNew || known.content === undefined) await noteContent(etags, deps);
  await scratch.remove();
  const status = isNew ? 'imported' : 'up_to_date';
  const events = { upsert: 0, delete: 0 };
  const warnings = [...warningsOf(reason), ...changedWarnings(changed)];
  return { status, snapshot_id: null, cursor: null, data_as_of, events, warnings };
}

/** The datasets that are no longer what they were when the copy was made; none where that was not noted. */
async function changedDatasets(state: SyncState, { copy }: SyncDeps): Promise<readonly DatasetName[]> {
  const { content = null } = madeOf(state);
  if (content === null) return [];
  const hashes = await contentHashes(copy, state.schema_version);
  return DATASET_NAMES.filter((dataset) => hashes[dataset] !== content[dataset]);
}

/** No service says what the copy should hold: what it holds now is what the next sync compares with. */
async function noteContent(etags: Etags, { copy }: SyncDeps): Promise<void> {
  const state = await copy.state();
  if (state === undefined) return;
  const content = await contentHashes(copy, state.schema_version);
  const nothing = { replaced: {}, upserts: {}, deletes: {}, events: undefined, dropsEvents: false };
  const note: MadeOf = { ...etags, content };
  await copy.update({ ...nothing, state: { ...state, etags: JSON.stringify(note) } });
}

function changedWarnings(changed: readonly DatasetName[]): readonly string[] {
  if (changed.length === 0) return [];
  const be = changed.length === 1 ? 'was' : 'were';
  return [`${changed.join(', ')} ${be} changed by something else since the last sync; the lists were read anew`];
}

interface FoundLists {
  /** Of the lists that changed. */
  readonly files: Files;
  readonly etags: Etags;
  /** Undefined where none did. */
  readonly dataAsOf: string | undefined;
}

/** Reads the lists that changed, all of one release. */
async function readLists(known: Etags, deps: SyncDeps): Promise<FoundLists> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const walk = new Walk(deps);
    const files: Partial<Record<ListedName, string>> = {};
    const { models, benchmarks, scores, rankings } = known;
    const etags: { -readonly [Name in ListedName]: Etags[Name] } = { models, benchmarks, scores, rankings };
    for (const name of LISTED) {
      const found = await walk.readList(name, known[name] ?? null);
      if (found === undefined) continue;
      files[name] = await deps.scratch.path(`list.${name}.jsonl`);
      await writeLines(files[name], sortedLines(name, found.records));
      etags[name] = found.etag ?? '';
    }
    if (await walk.isWhole(files, known)) return { files, etags, dataAsOf: walk.dataAsOf ?? undefined };
  }
  throw new AppError('unavailable', `new data came in between ${ROUNDS_MAX} times; try again later`);
}

const NO_FEED = {
  snapshot_id: null,
  cursor: null,
  schema_version: SCHEMA_VERSION,
  benchmarks_sha256: null,
  history_from: null,
} as const;

function warningsOf({ message, plan }: ClientError): readonly string[] {
  const whose = plan === undefined ? message : `the ${plan} plan has no snapshots and no change feed`;
  return [
    `${whose}: the copy is made of the lists of current data, page by page, without prices and without proof by hash`,
  ];
}

interface FoundList {
  readonly records: readonly AnyRecord[];
  readonly etag: string | null;
}

/** Reads lists, and watches that all pages are of one release. */
class Walk {
  readonly #deps: SyncDeps;
  readonly #releases = new Set<string | null>();
  #bytes = 0;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  get isOfOneRelease(): boolean {
    return this.#releases.size <= 1;
  }

  /** Whether the lists that were read, and those that need not be, are of one release. */
  async isWhole(read: Files, etags: Etags): Promise<boolean> {
    if (!this.isOfOneRelease) return false;
    if (Object.keys(read).length === 0) return true;
    for (const name of LISTED) {
      if (read[name] === undefined && (await this.readList(name, etags[name] ?? null)) !== undefined) return false;
    }
    return true;
  }

  get dataAsOf(): string | null {
    return [...this.#releases][0] ?? null;
  }

  /** All records of a list; undefined where nothing changed since the answer with this tag. */
  async readList(name: ListedName, etag: string | null): Promise<FoundList | undefined> {
    const { client } = this.#deps;
    if (name === 'rankings') return this.#readRankings(etag);
    const first = await client.ifChanged(etag, (conditional) => listOf(name, conditional)({}));
    if (first === undefined) return undefined;
    return { records: await this.#pages(name, first, listOf(name, client)), etag: first.etag };
  }

  /** A list per category; the tag of the categories stands for all, as they too change with the rankings. */
  async #readRankings(etag: string | null): Promise<FoundList | undefined> {
    const { client } = this.#deps;
    const categories = await client.ifChanged(etag, (conditional) => conditional.listCategories());
    if (categories === undefined) return undefined;
    const records: AnyRecord[] = [];
    for (const { id } of categories.body.categories) {
      const ask = async (page: Page) => pageOf(await client.getRankings(id, { limit: 50, ...page }), 'rankings');
      records.push(...(await this.#pages('rankings', await ask({}), ask)));
    }
    return { records, etag: categories.etag };
  }

  async #pages(
    name: ListedName,
    first: Answer<ListPage>,
    ask: (page: Page) => Promise<Answer<ListPage>>,
  ): Promise<readonly AnyRecord[]> {
    const records: AnyRecord[] = [];
    for (let page = first; ; ) {
      this.#releases.add(page.dataAsOf);
      this.#assertBounded(name, page);
      records.push(...page.body.records);
      this.#deps.onStep?.({ is: 'list', dataset: name, records: records.length, of: page.body.total });
      const { next_cursor: cursor } = page.body;
      if (cursor === null || !this.isOfOneRelease) return records;
      page = await ask({ cursor });
    }
  }

  /** Rejects a list that has no end. */
  #assertBounded(name: ListedName, { body: { records, next_cursor: cursor }, bytes }: Answer<ListPage>): void {
    this.#bytes += bytes;
    const bytesMax = LISTS_OF_RESPONSES * this.#deps.client.settings.answerBytesMax;
    if (this.#bytes > bytesMax) {
      const message = `the lists are larger than ${bytesMax} bytes together: ${LIMITED_BY.answer}`;
      throw new AnswerTooLargeError(message, { code: 'answer_too_large' });
    }
    if (records.length === 0 && cursor !== null) {
      throw new AppError('corrupt', `a page of the list of ${name} has no records, and says that there are more`);
    }
  }
}

interface ListPage {
  readonly records: readonly AnyRecord[];
  readonly total: number;
  readonly next_cursor: string | null;
}

function listOf(name: Exclude<ListedName, 'rankings'>, client: ModelstatsClient) {
  const calls = {
    models: async (page: Page) => pageOf(await client.listModels({ limit: 200, ...page }), 'models'),
    benchmarks: async (page: Page) => pageOf(await client.listBenchmarks({ limit: 200, ...page }), 'benchmarks'),
    scores: async (page: Page) => pageOf(await client.listScores({ limit: 500, ...page }), 'scores'),
  };
  return calls[name];
}

function pageOf<Name extends string>(
  response: Answer<Readonly<Record<Name, readonly object[]>> & Omit<ListPage, 'records'>>,
  name: Name,
): Answer<ListPage> {
  const { total, next_cursor } = response.body;
  return { ...response, body: { records: response.body[name].map((record) => ({ ...record })), total, next_cursor } };
}

function sortedLines(name: ListedName, records: readonly AnyRecord[]): readonly string[] {
  const keyed = records.map((record) => ({ key: keyOf(name, record), record }));
  keyed.sort((a, b) => compareKeys(a.key, b.key));
  return keyed.map(({ record }) => JSON.stringify(record));
}
