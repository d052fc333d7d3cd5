/**
 * A call per operation, under its name: path parameters one by one, then the query. Generated from /openapi.json by `make golden`;
 * change the routes instead.
 */
import type {
  Account,
  Benchmarks,
  Categories,
  Cost,
  Lifecycle,
  ModelDetail,
  ModelHistory,
  Models,
  operations,
  Pricing,
  ResolvedName,
  Scores,
  Snapshots,
  Sources,
  Updates,
} from './answers.ts';
import type { QueryOf } from './filters.ts';
import type { Answer } from './read-response.ts';
import { type CallOptions, pathPart } from './send.ts';

export abstract class Calls {
  /** Sends a `GET` with retries. */
  protected abstract get<Name extends keyof operations>(
    path: string,
    query: { readonly [K in keyof QueryOf<Name>]: QueryOf<Name>[K] | undefined },
    options: CallOptions,
  ): Promise<Answer<BodyOf<Name>>>;

  /** `GET /v1/models`: Models, with filters. */
  listModels(query: QueryOf<'listModels'> = {}, options: CallOptions = {}): Promise<Answer<Models>> {
    return this.get<'listModels'>('/v1/models', query, options);
  }

  /** `GET /v1/models/{id}`: One model with its scores, rankings, prices and aliases. */
  getModel(id: string, options: CallOptions = {}): Promise<Answer<ModelDetail>> {
    return this.get<'getModel'>(`/v1/models/${pathPart(id)}`, {}, options);
  }

  /** `GET /v1/resolve`: The models that a name means, however it is written. */
  resolveName(query: QueryOf<'resolveName'>, options: CallOptions = {}): Promise<Answer<ResolvedName>> {
    return this.get<'resolveName'>('/v1/resolve', query, options);
  }

  /** `GET /v1/benchmarks`: Benchmarks. */
  listBenchmarks(query: QueryOf<'listBenchmarks'> = {}, options: CallOptions = {}): Promise<Answer<Benchmarks>> {
    return this.get<'listBenchmarks'>('/v1/benchmarks', query, options);
  }

  /** `GET /v1/scores`: Scores, with filters. */
  listScores(query: QueryOf<'listScores'> = {}, options: CallOptions = {}): Promise<Answer<Scores>> {
    return this.get<'listScores'>('/v1/scores', query, options);
  }

  /** `GET /v1/pricing`: Prices, with filters. */
  listPricing(query: QueryOf<'listPricing'> = {}, options: CallOptions = {}): Promise<Answer<Pricing>> {
    return this.get<'listPricing'>('/v1/pricing', query, options);
  }

  /** `GET /v1/updates`: Recently added models, newest first. */
  listUpdates(query: QueryOf<'listUpdates'> = {}, options: CallOptions = {}): Promise<Answer<Updates>> {
    return this.get<'listUpdates'>('/v1/updates', query, options);
  }

  /** `GET /v1/categories`: The categories that are ranked now. */
  listCategories(options: CallOptions = {}): Promise<Answer<Categories>> {
    return this.get<'listCategories'>('/v1/categories', {}, options);
  }

  /** `GET /v1/sources`: Sources of the data, with their terms. */
  listSources(options: CallOptions = {}): Promise<Answer<Sources>> {
    return this.get<'listSources'>('/v1/sources', {}, options);
  }

  /** `GET /v1/cost`: What a request to a model costs, today or on a past day. */
  getCost(query: QueryOf<'getCost'>, options: CallOptions = {}): Promise<Answer<Cost>> {
    return this.get<'getCost'>('/v1/cost', query, options);
  }

  /** `GET /v1/lifecycle`: Deprecations and retirements of models. */
  listLifecycle(query: QueryOf<'listLifecycle'> = {}, options: CallOptions = {}): Promise<Answer<Lifecycle>> {
    return this.get<'listLifecycle'>('/v1/lifecycle', query, options);
  }

  /** `GET /v1/models/{model_id}/history`: Daily history of one model. */
  getModelHistory(
    modelId: string,
    query: QueryOf<'getModelHistory'>,
    options: CallOptions = {},
  ): Promise<Answer<ModelHistory>> {
    return this.get<'getModelHistory'>(`/v1/models/${pathPart(modelId)}/history`, query, options);
  }

  /** `GET /v1/snapshots`: Bulk snapshots, newest first. */
  listSnapshots(query: QueryOf<'listSnapshots'> = {}, options: CallOptions = {}): Promise<Answer<Snapshots>> {
    return this.get<'listSnapshots'>('/v1/snapshots', query, options);
  }

  /** `GET /v1/account`: The organization's plan and its usage today. */
  getAccount(options: CallOptions = {}): Promise<Answer<Account>> {
    return this.get<'getAccount'>('/v1/account', {}, options);
  }
}

/** The body of an operation's response. */
export type BodyOf<Name extends keyof operations> = operations[Name]['responses'][200]['content']['application/json'];
