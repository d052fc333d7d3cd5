import type { DatasetName } from '../schemas/datasets.ts';
import type {
  Benchmark,
  ChangeEvent,
  Changes,
  Model,
  operations,
  Price,
  Ranking,
  Rankings,
  RankingsHistory,
  Score,
  SnapshotDownload,
} from './answers.ts';
import { type BodyOf, Calls } from './calls.ts';
import { type ClientOptions, type ClientSettings, ClientSettingsSchema } from './client-settings.ts';
import { NotModifiedError } from './errors.ts';
import type {
  BenchmarkFilters,
  ChangeFilters,
  ModelFilters,
  Page,
  PriceFilters,
  QueryOf,
  RankingsHistoryFilters,
  ScoreFilters,
  SnapshotFilters,
} from './filters.ts';
import { type Answer, readResponse } from './read-response.ts';
import { type CallOptions, pathPart, type Retry, send } from './send.ts';

export type { Answer } from './read-response.ts';
export type { CallOptions } from './send.ts';

export interface ClientDeps {
  /** Called before each retry. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/**
 * Typed calls for every route. Each retries within the bounds of the settings, and rejects with a {@link ClientError}.
 * The iterators request page by page, a unit each.
 */
export class ModelstatsClient extends Calls {
  readonly #settings: ClientSettings;
  readonly #deps: ClientDeps;
  readonly #etag: string | null;

  /** Throws a ZodError for invalid options. */
  constructor(options: ClientOptions, deps: ClientDeps & { readonly etag?: string | null } = {}) {
    super();
    this.#settings = ClientSettingsSchema.parse(options);
    this.#deps = deps;
    this.#etag = deps.etag ?? null;
  }

  /** Without a trailing slash. */
  get url(): string {
    return this.#settings.url;
  }

  get settings(): Readonly<ClientSettings> {
    return this.#settings;
  }

  eachModel(filters: ModelFilters = {}, options: CallOptions = {}): AsyncGenerator<Model, void> {
    return this.#each((page) => this.listModels({ limit: 200, ...filters, ...page }, options), 'models');
  }

  eachBenchmark(filters: BenchmarkFilters = {}, options: CallOptions = {}): AsyncGenerator<Benchmark, void> {
    return this.#each((page) => this.listBenchmarks({ limit: 200, ...filters, ...page }, options), 'benchmarks');
  }

  eachScore(filters: ScoreFilters = {}, options: CallOptions = {}): AsyncGenerator<Score, void> {
    return this.#each((page) => this.listScores({ limit: 500, ...filters, ...page }, options), 'scores');
  }

  eachPrice(filters: PriceFilters = {}, options: CallOptions = {}): AsyncGenerator<Price, void> {
    return this.#each((page) => this.listPricing({ limit: 500, ...filters, ...page }, options), 'pricing');
  }

  /** `GET /v1/rankings` */
  getRankings(category: string, page: Page = {}, options: CallOptions = {}): Promise<Answer<Rankings>> {
    return this.get<'listRankings'>('/v1/rankings', { category, ...page }, options);
  }

  /** All ranks of a category, best first. */
  eachRanking(category: string, options: CallOptions = {}): AsyncGenerator<Ranking, void> {
    return this.#each((page) => this.getRankings(category, { limit: 50, ...page }, options), 'rankings');
  }

  /** `GET /v1/rankings/history` */
  getRankingsHistory(
    category: string,
    filters: RankingsHistoryFilters = {},
    options: CallOptions = {},
  ): Promise<Answer<RankingsHistory>> {
    return this.get<'getRankingsHistory'>('/v1/rankings/history', { category_id: category, ...filters }, options);
  }

  /** `GET /v1/snapshots/{snapshot_id}/download`: a URL valid for 15 minutes. */
  getDownload(
    snapshot: string,
    dataset: DatasetName,
    { schema_version, ...options }: CallOptions & SnapshotFilters = {},
  ): Promise<Answer<SnapshotDownload>> {
    return this.get<'downloadSnapshot'>(
      `/v1/snapshots/${pathPart(snapshot)}/download`,
      { dataset, schema_version },
      options,
    );
  }

  /** One page of the feed, `GET /v1/changes`. */
  getChanges(filters: ChangeFilters = {}, options: CallOptions = {}): Promise<Answer<Changes>> {
    return this.get<'listChanges'>('/v1/changes', filters, options);
  }

  /** The feed from a cursor to its end. Store a page's `next_cursor` once the page is applied. */
  async *eachChangesPage(filters: ChangeFilters = {}, options: CallOptions = {}): AsyncGenerator<Changes, void> {
    for (let { cursor } = filters; ; ) {
      const { body } = await this.getChanges({ ...filters, ...(cursor === undefined ? {} : { cursor }) }, options);
      yield body;
      if (!body.has_more) return;
      cursor = body.next_cursor;
    }
  }

  /** The events of {@link eachChangesPage}. */
  async *eachChange(filters: ChangeFilters = {}, options: CallOptions = {}): AsyncGenerator<ChangeEvent, void> {
    for await (const { events } of this.eachChangesPage(filters, options)) yield* events;
  }

  /**
   * The result of a call, or undefined if nothing changed since the response with this ETag, which costs no unit:
   * `await client.ifChanged(last.etag, (changed) => changed.listModels())`.
   */
  async ifChanged<T>(
    etag: string | null,
    call: (client: ModelstatsClient) => Promise<Answer<T>>,
  ): Promise<Answer<T> | undefined> {
    try {
      return await call(new ModelstatsClient(this.#settings, { ...this.#deps, etag }));
    } catch (error) {
      if (error instanceof NotModifiedError) return undefined;
      throw error;
    }
  }

  protected override async get<Name extends keyof operations>(
    path: string,
    query: { readonly [K in keyof QueryOf<Name>]: QueryOf<Name>[K] | undefined },
    { signal }: CallOptions,
  ): Promise<Answer<BodyOf<Name>>> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const parameters = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
    const url = `${this.url}${path}${given.length === 0 ? '' : `?${parameters}`}`;
    const headers = {
      Accept: 'application/json',
      // gzip's checksum detects damaged bytes.
      'Accept-Encoding': 'gzip',
      Authorization: `Bearer ${this.#settings.key}`,
      ...(this.#etag === null ? {} : { 'If-None-Match': this.#etag }),
    };
    return send({ url, headers }, (response) => readResponse<BodyOf<Name>>(response, this.#settings), {
      settings: this.#settings,
      signal,
      onRetry: this.#deps.onRetry,
    });
  }

  async *#each<Name extends string, T>(
    fetchPage: (
      page: Page,
    ) => Promise<Answer<Readonly<Record<Name, readonly T[]>> & { readonly next_cursor: string | null }>>,
    name: Name,
  ): AsyncGenerator<T, void> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { body } = await fetchPage(cursor === undefined ? {} : { cursor });
      yield* body[name];
      cursor = body.next_cursor;
    }
  }
}
