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
import { type Provenance, provenanceOf } from './read-snapshots.ts';

/** Prices have no list, only a request per model. */
const LISTED = ['models', 'benchmarks', 'scores', 'rankings'] as const;
type ListedName = (typeof LISTED)[number];

/** How often new releases may interrupt. */
const ROUNDS_MAX = 3;

/** All lists together may have this many times the largest response; each is sorted in memory. */
const LISTS_OF_RESPONSES = 8;

type Etags = Pick<Provenance, ListedName>;

/**
 * Makes the copy from lists, for plans without snapshots: all pages of all lists, from one release. Unchanged lists
 * cost nothing, unless others changed the copy: then all are read. Rejects like the calls, with `unavailable` if new
 * releases keep interrupting, `usage` if the copy comes from a snapshot, which has more.
 */
export async function syncLists(reason: ClientError, deps: SyncDeps): Promise<SyncResult> {
  const { client, copy, scratch, clock } = deps;
  const before = await copy.state();
  if (before !== undefined && before.cursor !== null) {
    const message = `${reason.message}: the copy stays as of ${before.data_as_of}, because lists have no prices and would not replace it`;
    throw new AppError('usage', message, { cause: reason });
  }
  const own = before?.url === client.url ? before : undefined;
  const changed = own === undefined ? [] : await changedDatasets(own, deps);
  const known: Provenance = own === undefined || changed.length > 0 ? {} : provenanceOf(own);
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
  if (isNew || known.content === undefined) await storeContentHashes(etags, deps);
  await scratch.remove();
  const status = isNew ? 'imported' : 'up_to_date';
  const events = { upsert: 0, delete: 0 };
  const warnings = [...warningsOf(reason), ...changedWarnings(changed)];
  return { status, snapshot_id: null, cursor: null, data_as_of, events, warnings };
}

/** Datasets that others changed since the last sync; none if that is unknown. */
async function changedDatasets(state: SyncState, { copy }: SyncDeps): Promise<readonly DatasetName[]> {
  const { content = null } = provenanceOf(state);
  if (content === null) return [];
  const hashes = await contentHashes(copy, state.schema_version);
  return DATASET_NAMES.filter((dataset) => hashes[dataset] !== content[dataset]);
}

/** Without a manifest, the next sync compares with the content as it is now. */
async function storeContentHashes(etags: Etags, { copy }: SyncDeps): Promise<void> {
  const state = await copy.state();
  if (state === undefined) return;
  const content = await contentHashes(copy, state.schema_version);
  const nothing = { replaced: {}, upserts: {}, deletes: {}, events: undefined, dropsEvents: false };
  const note: Provenance = { ...etags, content };
  await copy.update({ ...nothing, state: { ...state, etags: JSON.stringify(note) } });
}

function changedWarnings(changed: readonly DatasetName[]): readonly string[] {
  if (changed.length === 0) return [];
  const be = changed.length === 1 ? 'was' : 'were';
  return [`${changed.join(', ')} ${be} changed by another program since the last sync; all lists were read again`];
}

interface FoundLists {
  /** Of the lists that changed. */
  readonly files: Files;
  readonly etags: Etags;
  /** Undefined if no list changed. */
  readonly dataAsOf: string | undefined;
}

async function readLists(known: Etags, deps: SyncDeps): Promise<FoundLists> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const reader = new ListReader(deps);
    const files: Partial<Record<ListedName, string>> = {};
    const { models, benchmarks, scores, rankings } = known;
    const etags: { -readonly [Name in ListedName]: Etags[Name] } = { models, benchmarks, scores, rankings };
    for (const name of LISTED) {
      const found = await reader.readList(name, known[name] ?? null);
      if (found === undefined) continue;
      files[name] = await deps.scratch.path(`list.${name}.jsonl`);
      await writeLines(files[name], sortedLines(name, found.records));
      etags[name] = found.etag ?? '';
    }
    if (await reader.isWhole(files, known)) return { files, etags, dataAsOf: reader.dataAsOf ?? undefined };
  }
  throw new AppError('unavailable', `the data changed during ${ROUNDS_MAX} attempts; try again later`);
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
  return [`${whose}: the copy is made from the lists of current data, without prices and without verification by hash`];
}

interface FoundList {
  readonly records: readonly AnyRecord[];
  readonly etag: string | null;
}

class ListReader {
  readonly #deps: SyncDeps;
  readonly #releases = new Set<string | null>();
  #bytes = 0;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  get isOfOneRelease(): boolean {
    return this.#releases.size <= 1;
  }

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

  /** Undefined if nothing changed since the response with this ETag. */
  async readList(name: ListedName, etag: string | null): Promise<FoundList | undefined> {
    const { client } = this.#deps;
    if (name === 'rankings') return this.#readRankings(etag);
    const first = await client.ifChanged(etag, (conditional) => listOf(name, conditional)({}));
    if (first === undefined) return undefined;
    return { records: await this.#pages(name, first, listOf(name, client)), etag: first.etag };
  }

  /** A list per category. The ETag of the categories covers all, since they change with the rankings. */
  async #readRankings(etag: string | null): Promise<FoundList | undefined> {
    const { client } = this.#deps;
    const categories = await client.ifChanged(etag, (conditional) => conditional.listCategories());
    if (categories === undefined) return undefined;
    const records: AnyRecord[] = [];
    for (const { id } of categories.body.categories) {
      const fetchPage = async (page: Page) => pageOf(await client.getRankings(id, { limit: 50, ...page }), 'rankings');
      records.push(...(await this.#pages('rankings', await fetchPage({}), fetchPage)));
    }
    return { records, etag: categories.etag };
  }

  async #pages(
    name: ListedName,
    first: Answer<ListPage>,
    fetchPage: (page: Page) => Promise<Answer<ListPage>>,
  ): Promise<readonly AnyRecord[]> {
    const records: AnyRecord[] = [];
    for (let page = first; ; ) {
      this.#releases.add(page.dataAsOf);
      this.#assertBounded(name, page);
      records.push(...page.body.records);
      this.#deps.onStep?.({ is: 'list', dataset: name, records: records.length, of: page.body.total });
      const { next_cursor: cursor } = page.body;
      if (cursor === null || !this.isOfOneRelease) return records;
      page = await fetchPage({ cursor });
    }
  }

  /** Rejects an endless list. */
  #assertBounded(name: ListedName, { body: { records, next_cursor: cursor }, bytes }: Answer<ListPage>): void {
    this.#bytes += bytes;
    const bytesMax = LISTS_OF_RESPONSES * this.#deps.client.settings.answerBytesMax;
    if (this.#bytes > bytesMax) {
      const message = `the lists are larger than ${bytesMax} bytes together: ${LIMITED_BY.answer}`;
      throw new AnswerTooLargeError(message, { code: 'answer_too_large' });
    }
    if (records.length === 0 && cursor !== null) {
      throw new AppError('corrupt', `a page of the list of ${name} has no records but announces more`);
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
