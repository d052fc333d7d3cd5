import type { DatasetName } from '../schemas/datasets.ts';
import type {
  Account,
  Benchmark,
  Benchmarks,
  Categories,
  ChangeEvent,
  Changes,
  Model,
  ModelDetail,
  ModelHistory,
  Models,
  operations,
  Ranking,
  Rankings,
  RankingsHistory,
  Score,
  Scores,
  SnapshotDownload,
  Snapshots,
  Sources,
  Updates,
} from './answers.ts';
import { type ClientOptions, type ClientSettings, ClientSettingsSchema } from './client-settings.ts';
import { NotModifiedError } from './errors.ts';
import type {
  BenchmarkFilters,
  ChangeFilters,
  ModelFilters,
  ModelHistoryFilters,
  Page,
  QueryOf,
  RankingsHistoryFilters,
  ScoreFilters,
  SnapshotFilters,
  UpdateFilters,
} from './filters.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { pathPart, type Retry, send } from './send.ts';

export type { Answer } from './read-answer.ts';

export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

export interface ClientDeps {
  /** Told before a request is sent again. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/**
 * Typed calls for every route. Each sends its request until there is an answer, within the bounds of the settings, and rejects
 * with a {@link ClientError} of `errors.ts`. The iterators ask page by page, a unit each.
 */
export class ModelstatsClient {
  readonly #settings: ClientSettings;
  readonly #deps: ClientDeps;
  readonly #etag: string | null;

  /** Throws a ZodError where an option makes no sense. */
  constructor(options: ClientOptions, deps: ClientDeps & { readonly etag?: string | null } = {}) {
    this.#settings = ClientSettingsSchema.parse(options);
    this.#deps = deps;
    this.#etag = deps.etag ?? null;
  }

  /** Where the service is, without a slash at the end. */
  get url(): string {
    return this.#settings.url;
  }

  get settings(): Readonly<ClientSettings> {
    return this.#settings;
  }

  /** `GET /v1/models`. */
  listModels(filters: ModelFilters & Page = {}, options: CallOptions = {}): Promise<Answer<Models>> {
    return this.#get<'listModels'>('/v1/models', filters, options);
  }

  /** Every model that meets the filters. */
  eachModel(filters: ModelFilters = {}, options: CallOptions = {}): AsyncGenerator<Model, void> {
    return this.#each((page) => this.listModels({ limit: 200, ...filters, ...page }, options), 'models');
  }

  /** `GET /v1/models/{id}`. */
  getModel(id: string, options: CallOptions = {}): Promise<Answer<ModelDetail>> {
    return this.#get<'getModel'>(`/v1/models/${pathPart(id)}`, {}, options);
  }

  /** `GET /v1/benchmarks`. */
  listBenchmarks(filters: BenchmarkFilters & Page = {}, options: CallOptions = {}): Promise<Answer<Benchmarks>> {
    return this.#get<'listBenchmarks'>('/v1/benchmarks', filters, options);
  }

  eachBenchmark(filters: BenchmarkFilters = {}, options: CallOptions = {}): AsyncGenerator<Benchmark, void> {
    return this.#each((page) => this.listBenchmarks({ limit: 200, ...filters, ...page }, options), 'benchmarks');
  }

  /** `GET /v1/scores`. */
  listScores(filters: ScoreFilters & Page = {}, options: CallOptions = {}): Promise<Answer<Scores>> {
    return this.#get<'listScores'>('/v1/scores', filters, options);
  }

  eachScore(filters: ScoreFilters = {}, options: CallOptions = {}): AsyncGenerator<Score, void> {
    return this.#each((page) => this.listScores({ limit: 500, ...filters, ...page }, options), 'scores');
  }

  /** `GET /v1/rankings`. */
  getRankings(category: string, page: Page = {}, options: CallOptions = {}): Promise<Answer<Rankings>> {
    return this.#get<'listRankings'>('/v1/rankings', { category, ...page }, options);
  }

  /** Every rank of a category, the best first. */
  eachRanking(category: string, options: CallOptions = {}): AsyncGenerator<Ranking, void> {
    return this.#each((page) => this.getRankings(category, { limit: 50, ...page }, options), 'rankings');
  }

  /** `GET /v1/updates`. */
  listUpdates(filters: UpdateFilters & Page = {}, options: CallOptions = {}): Promise<Answer<Updates>> {
    return this.#get<'listUpdates'>('/v1/updates', filters, options);
  }

  /** `GET /v1/categories`. */
  listCategories(options: CallOptions = {}): Promise<Answer<Categories>> {
    return this.#get<'listCategories'>('/v1/categories', {}, options);
  }

  /** `GET /v1/sources`; costs no unit. */
  listSources(options: CallOptions = {}): Promise<Answer<Sources>> {
    return this.#get<'listSources'>('/v1/sources', {}, options);
  }

  /** `GET /v1/models/{model_id}/history`. */
  getModelHistory(id: string, filters: ModelHistoryFilters, options: CallOptions = {}): Promise<Answer<ModelHistory>> {
    return this.#get<'getModelHistory'>(`/v1/models/${pathPart(id)}/history`, filters, options);
  }

  /** `GET /v1/rankings/history`. */
  getRankingsHistory(
    category: string,
    filters: RankingsHistoryFilters = {},
    options: CallOptions = {},
  ): Promise<Answer<RankingsHistory>> {
    return this.#get<'getRankingsHistory'>('/v1/rankings/history', { category_id: category, ...filters }, options);
  }

  /** `GET /v1/snapshots`, newest first. */
  listSnapshots(filters: SnapshotFilters = {}, options: CallOptions = {}): Promise<Answer<Snapshots>> {
    return this.#get<'listSnapshots'>('/v1/snapshots', filters, options);
  }

  /** `GET /v1/snapshots/{snapshot_id}/download`: an address for 15 minutes. */
  getDownload(
    snapshot: string,
    dataset: DatasetName,
    { schema_version, ...options }: CallOptions & SnapshotFilters = {},
  ): Promise<Answer<SnapshotDownload>> {
    return this.#get<'downloadSnapshot'>(
      `/v1/snapshots/${pathPart(snapshot)}/download`,
      { dataset, schema_version },
      options,
    );
  }

  /** `GET /v1/changes`: one page of the feed. */
  getChanges(filters: ChangeFilters = {}, options: CallOptions = {}): Promise<Answer<Changes>> {
    return this.#get<'listChanges'>('/v1/changes', filters, options);
  }

  /** The feed from a cursor to its end. Store `next_cursor` of a page once it is applied. */
  async *eachChangesPage(filters: ChangeFilters = {}, options: CallOptions = {}): AsyncGenerator<Changes, void> {
    for (let { cursor } = filters; ; ) {
      const { body } = await this.getChanges({ ...filters, ...(cursor === undefined ? {} : { cursor }) }, options);
      yield body;
      if (!body.has_more) return;
      cursor = body.next_cursor;
    }
  }

  /** The feed from a cursor to its end, event by event. */
  async *eachChange(filters: ChangeFilters = {}, options: CallOptions = {}): AsyncGenerator<ChangeEvent, void> {
    for await (const { events } of this.eachChangesPage(filters, options)) yield* events;
  }

  /** `GET /v1/account`; costs no unit. */
  getAccount(options: CallOptions = {}): Promise<Answer<Account>> {
    return this.#get<'getAccount'>('/v1/account', {}, options);
  }

  /**
   * What a call gives, or undefined where nothing changed since the answer to the same request that had this tag: that costs no
   * unit. `await client.ifChanged(last.etag, (changed) => changed.listModels())`.
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

  /** `GET` of an operation of the OpenAPI document. */
  async #get<Name extends keyof operations>(
    path: string,
    query: { readonly [K in keyof QueryOf<Name>]: QueryOf<Name>[K] | undefined },
    { signal }: CallOptions,
  ): Promise<Answer<BodyOf<Name>>> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const parameters = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
    const url = `${this.url}${path}${given.length === 0 ? '' : `?${parameters}`}`;
    const headers = {
      Accept: 'application/json',
      // Its checksum finds bytes that were damaged on the way.
      'Accept-Encoding': 'gzip',
      Authorization: `Bearer ${this.#settings.key}`,
      ...(this.#etag === null ? {} : { 'If-None-Match': this.#etag }),
    };
    return send({ url, headers }, (response) => readAnswer<BodyOf<Name>>(response, this.#settings), {
      settings: this.#settings,
      signal,
      onRetry: this.#deps.onRetry,
    });
  }

  async *#each<Name extends string, T>(
    ask: (
      page: Page,
    ) => Promise<Answer<Readonly<Record<Name, readonly T[]>> & { readonly next_cursor: string | null }>>,
    name: Name,
  ): AsyncGenerator<T, void> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { body } = await ask(cursor === undefined ? {} : { cursor });
      yield* body[name];
      cursor = body.next_cursor;
    }
  }
}

/** What an operation answers with. */
type BodyOf<Name extends keyof operations> = operations[Name]['responses'][200]['content']['application/json'];
