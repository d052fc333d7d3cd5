/**
 * Bodies of responses, and parameters of requests. Any of them may get more fields (specification "Versioning of the API").
 * Generated from /openapi.json by `make golden`; change the schemas of the routes instead.
 */
export interface components {
    schemas: {
        readonly Account: {
            readonly plan: components["schemas"]["AccountPlan"];
            readonly usage: components["schemas"]["AccountUsage"];
            /** @description With which credential the request came: api_key, mcp_api_key, mcp_oauth, or another in time */
            readonly client_source: string;
        };
        /** @description What is used of the day */
        readonly AccountUsage: {
            readonly quota_day: string;
            readonly used: number;
            /** @description With bonus; null when unlimited */
            readonly limit: number | null;
            readonly remaining: number | null;
            /** @description Unix seconds of the next 00:00:00 UTC; in an error it is text, an ISO 8601 date-time */
            readonly reset_at: number;
            readonly burst_limit: number;
        };
        readonly AddedModel: {
            /** @description Stable id of the model, case-sensitive */
            readonly id: string;
            /** @description Display name */
            readonly name: string;
            /** @description Who made the model */
            readonly organization: string | null;
            /** @description Day of the release */
            readonly release_date: string | null;
            /** @description Longest context in tokens */
            readonly context_length: number | null;
            /** @description Ids of the providers that serve the model, sorted */
            readonly inference: readonly string[] | null;
            /** @description Whose word it is: an id of GET /v1/sources */
            readonly source?: string | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
            /** @description Capture that first saw it */
            readonly added_at: string;
        };
        readonly Alias: {
            /** @description Who calls it so */
            readonly upstream: string;
            /** @description Its name there */
            readonly id: string;
        };
        /** @description One record per benchmark */
        readonly Benchmark: {
            /** @description Stable id of the benchmark, case-sensitive */
            readonly id: string;
            /** @description Display name */
            readonly name: string;
            /** @description What the benchmark measures */
            readonly category: string | null;
            /** @description Models with a score in this benchmark */
            readonly model_count: number;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
        };
        readonly Benchmarks: {
            /** @description One page, by id */
            readonly benchmarks: readonly components["schemas"]["Benchmark"][];
            /** @description Records that meet the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        readonly Categories: {
            /** @description By id */
            readonly categories: readonly components["schemas"]["Category"][];
        };
        readonly Category: {
            /** @description For the category parameters of other routes */
            readonly id: string;
            /** @description Models ranked in it */
            readonly model_count: number;
        };
        /** @description By entity_type and op */
        readonly ChangeEvent: components["schemas"]["ModelUpsert"] | components["schemas"]["ModelDelete"] | components["schemas"]["ScoreUpsert"] | components["schemas"]["ScoreDelete"] | components["schemas"]["RankingUpsert"] | components["schemas"]["RankingDelete"] | components["schemas"]["PriceUpsert"] | components["schemas"]["PriceDelete"];
        readonly Changes: {
            /** @description Ascending by seq */
            readonly events: readonly components["schemas"]["ChangeEvent"][];
            /** @description Where the next page begins; store it once this page is applied */
            readonly next_cursor: string;
            /** @description True: go on at once */
            readonly has_more: boolean;
            /** @description The earliest day still in the feed */
            readonly retained_from: string;
            /** @description The newest published day, with or without changes */
            readonly published_through: string;
        };
        readonly DatasetFile: {
            /** @description The dataset */
            readonly name: "models" | "benchmarks" | "scores" | "rankings" | "pricing";
            /** @description JSON Lines, compressed with gzip */
            readonly format: "jsonl.gz";
            /** @description Records, one per line */
            readonly records: number;
            /** @description Size of the compressed file */
            readonly bytes: number;
            /** @description SHA-256 of the compressed file, in hex */
            readonly sha256: string;
            /** @description Size of the uncompressed lines */
            readonly content_bytes: number;
            /** @description SHA-256 of the uncompressed lines, in hex */
            readonly content_sha256: string;
        };
        /** @description Which days were served */
        readonly HistoryWindow: {
            /** @description First day that was served */
            readonly from: string;
            /** @description Last day that was served */
            readonly to: string;
            /** @description Oldest day that the plan may query; null: unlimited */
            readonly plan_limit_from: string | null;
            /** @description First day with data of this kind; null: none yet */
            readonly available_from: string | null;
        };
        /** @description What the record said besides, that day */
        readonly MetadataPayload: {
            /** @description Display name */
            readonly name: string;
            /** @description Who made the model */
            readonly organization: string | null;
            /** @description Day of the release */
            readonly release_date: string | null;
            /** @description Longest context in tokens */
            readonly context_length: number | null;
            /** @description Ids of the providers that serve the model, sorted */
            readonly inference: readonly string[] | null;
        };
        /** @description One record per model */
        readonly Model: {
            /** @description Stable id of the model, case-sensitive */
            readonly id: string;
            /** @description Display name */
            readonly name: string;
            /** @description Who made the model */
            readonly organization: string | null;
            /** @description Day of the release */
            readonly release_date: string | null;
            /** @description Longest context in tokens */
            readonly context_length: number | null;
            /** @description Ids of the providers that serve the model, sorted */
            readonly inference: readonly string[] | null;
            /** @description Whose word it is: an id of GET /v1/sources */
            readonly source?: string | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
        };
        readonly ModelDelete: {
            /** @description Rises by one from event to event, over the whole feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description What kind of record changed */
            readonly entity_type: "model";
            /** @description Stable id of the record; the parts of a composite one are joined with a colon, as they are */
            readonly entity_id: string;
            readonly key: components["schemas"]["ModelKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "delete";
            /** @description Null: the record is gone */
            readonly data: components["schemas"]["Model"] | null;
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        readonly ModelDetail: {
            /** @description Stable id of the model, case-sensitive */
            readonly id: string;
            /** @description Display name */
            readonly name: string;
            /** @description Who made the model */
            readonly organization: string | null;
            /** @description Day of the release */
            readonly release_date: string | null;
            /** @description Longest context in tokens */
            readonly context_length: number | null;
            /** @description Ids of the providers that serve the model, sorted */
            readonly inference: readonly string[] | null;
            /** @description Whose word it is: an id of GET /v1/sources */
            readonly source?: string | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
            /** @description By benchmark */
            readonly scores: readonly components["schemas"]["Score"][];
            /** @description By category */
            readonly rankings: readonly components["schemas"]["Ranking"][];
            /** @description By provider */
            readonly pricing: readonly components["schemas"]["Price"][];
            /** @description What upstreams call it, by upstream and name */
            readonly aliases: readonly components["schemas"]["Alias"][];
        };
        /** @description By kind */
        readonly ModelHistory: components["schemas"]["ModelScoreHistory"] | components["schemas"]["ModelRankingHistory"] | components["schemas"]["ModelPricingHistory"] | components["schemas"]["ModelMetadataHistory"];
        /** @description The parts of entity_id under their names in the record */
        readonly ModelKey: {
            /** @description Stable id of the model, case-sensitive */
            readonly id: string;
        };
        readonly ModelMetadataHistory: {
            /** @description As asked for */
            readonly model_id: string;
            /** @description As asked for */
            readonly kind: "metadata";
            /** @description Ascending by date, then by series */
            readonly points: readonly components["schemas"]["ModelMetadataPoint"][];
            readonly window: components["schemas"]["HistoryWindow"];
        };
        readonly ModelMetadataPoint: {
            /** @description UTC day */
            readonly date: string;
            /** @description Null: a record has no one value */
            readonly value: number | null;
            /** @description Null: only a score has one */
            readonly benchmark_id: string | null;
            /** @description Null: only a rank has one */
            readonly category_id: string | null;
            readonly payload: components["schemas"]["MetadataPayload"];
            /** @description How the value is known */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly ModelPricingHistory: {
            /** @description As asked for */
            readonly model_id: string;
            /** @description As asked for */
            readonly kind: "pricing";
            /** @description Ascending by date, then by series */
            readonly points: readonly components["schemas"]["ModelPricingPoint"][];
            readonly window: components["schemas"]["HistoryWindow"];
        };
        readonly ModelPricingPoint: {
            /** @description UTC day */
            readonly date: string;
            /** @description Price of a million input tokens */
            readonly value: number | null;
            /** @description Null: only a score has one */
            readonly benchmark_id: string | null;
            /** @description Null: only a rank has one */
            readonly category_id: string | null;
            readonly payload: components["schemas"]["PricingPayload"];
            /** @description How the value is known */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly ModelRankingHistory: {
            /** @description As asked for */
            readonly model_id: string;
            /** @description As asked for */
            readonly kind: "ranking";
            /** @description Ascending by date, then by series */
            readonly points: readonly components["schemas"]["ModelRankingPoint"][];
            readonly window: components["schemas"]["HistoryWindow"];
        };
        readonly ModelRankingPoint: {
            /** @description UTC day */
            readonly date: string;
            /** @description The rank, 1 is best */
            readonly value: number;
            /** @description Null: only a score has one */
            readonly benchmark_id: string | null;
            /** @description The category that is ranked */
            readonly category_id: string;
            readonly payload: components["schemas"]["RankingPayload"];
            /** @description How the value is known */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly ModelScoreHistory: {
            /** @description As asked for */
            readonly model_id: string;
            /** @description As asked for */
            readonly kind: "score";
            /** @description Ascending by date, then by series */
            readonly points: readonly components["schemas"]["ModelScorePoint"][];
            readonly window: components["schemas"]["HistoryWindow"];
        };
        readonly ModelScorePoint: {
            /** @description UTC day */
            readonly date: string;
            /** @description The score */
            readonly value: number;
            /** @description The benchmark */
            readonly benchmark_id: string;
            /** @description Null: only a rank has one */
            readonly category_id: string | null;
            readonly payload: components["schemas"]["ScorePayload"];
            /** @description How the value is known */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly ModelUpsert: {
            /** @description Rises by one from event to event, over the whole feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description What kind of record changed */
            readonly entity_type: "model";
            /** @description Stable id of the record; the parts of a composite one are joined with a colon, as they are */
            readonly entity_id: string;
            readonly key: components["schemas"]["ModelKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "upsert";
            readonly data: components["schemas"]["Model"];
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        readonly Models: {
            /** @description One page, in the order asked for */
            readonly models: readonly components["schemas"]["Model"][];
            /** @description Records that meet the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        /** @description How a value is known; backfill for pricing only */
        readonly PointSource: "capture" | "backfill";
        /** @description One record per model and provider */
        readonly Price: {
            /** @description The model */
            readonly model_id: string;
            /** @description Who sells it */
            readonly provider: string;
            /** @description Price of a million input tokens */
            readonly input_per_million: number | null;
            /** @description Price of a million output tokens */
            readonly output_per_million: number | null;
            /** @description ISO 4217 code */
            readonly currency: string;
            /** @description First day of this price */
            readonly effective_from: string | null;
            /** @description Whose word it is: an id of GET /v1/sources */
            readonly source?: string | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
        };
        readonly PriceDelete: {
            /** @description Rises by one from event to event, over the whole feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description What kind of record changed */
            readonly entity_type: "pricing";
            /** @description Stable id of the record; the parts of a composite one are joined with a colon, as they are */
            readonly entity_id: string;
            readonly key: components["schemas"]["PriceKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "delete";
            /** @description Null: the record is gone */
            readonly data: components["schemas"]["Price"] | null;
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        /** @description The parts of entity_id under their names in the record */
        readonly PriceKey: {
            /** @description The model */
            readonly model_id: string;
            /** @description Who sells it */
            readonly provider: string;
        };
        readonly PriceUpsert: {
            /** @description Rises by one from event to event, over the whole feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description What kind of record changed */
            readonly entity_type: "pricing";
            /** @description Stable id of the record; the parts of a composite one are joined with a colon, as they are */
            readonly entity_id: string;
            readonly key: components["schemas"]["PriceKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "upsert";
            readonly data: components["schemas"]["Price"];
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        /** @description What the record said besides, that day */
        readonly PricingPayload: {
            /** @description Who sells it */
            readonly provider: string;
            /** @description Price of a million input tokens */
            readonly input_per_million: number | null;
            /** @description Price of a million output tokens */
            readonly output_per_million: number | null;
            /** @description ISO 4217 code */
            readonly currency: string;
            /** @description First day of this price */
            readonly effective_from: string | null;
        };
        /** @description One record per model and category */
        readonly Ranking: {
            /** @description The model */
            readonly model_id: string;
            /** @description The category that is ranked */
            readonly category: string;
            /** @description Position, 1 is best; a tie shares one */
            readonly rank: number;
            /** @description Estimated skill */
            readonly trueskill_mu: number | null;
            /** @description Uncertainty of the estimate */
            readonly trueskill_sigma: number | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
        };
        readonly RankingDelete: {
            /** @description Rises by one from event to event, over the whole feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description What kind of record changed */
            readonly entity_type: "ranking";
            /** @description Stable id of the record; the parts of a composite one are joined with a colon, as they are */
            readonly entity_id: string;
            readonly key: components["schemas"]["RankingKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "delete";
            /** @description Null: the record is gone */
            readonly data: components["schemas"]["Ranking"] | null;
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        /** @description The parts of entity_id under their names in the record */
        readonly RankingKey: {
            /** @description The model */
            readonly model_id: string;
            /** @description The category that is ranked */
            readonly category: string;
        };
        /** @description What the record said besides, that day */
        readonly RankingPayload: {
            /** @description Models that were ranked in the category that day */
            readonly positions: number;
            /** @description Estimated skill */
            readonly trueskill_mu: number | null;
            /** @description Uncertainty of the estimate */
            readonly trueskill_sigma: number | null;
        };
        readonly RankingPoint: {
            /** @description UTC day */
            readonly date: string;
            /** @description The rank, 1 is best */
            readonly value: number;
            /** @description Who held the position */
            readonly model_id: string;
            /** @description The category that is ranked */
            readonly category_id: string;
            readonly payload: components["schemas"]["RankingPayload"];
            /** @description How the value is known */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly RankingUpsert: {
            /** @description Rises by one from event to event, over the whole feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description What kind of record changed */
            readonly entity_type: "ranking";
            /** @description Stable id of the record; the parts of a composite one are joined with a colon, as they are */
            readonly entity_id: string;
            readonly key: components["schemas"]["RankingKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "upsert";
            readonly data: components["schemas"]["Ranking"];
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        readonly Rankings: {
            /** @description As asked for */
            readonly category: string;
            /** @description Capture that brought the rankings as they are; null before any */
            readonly ranked_at: string | null;
            /** @description How the ranking is made, as its source says; null where that says nothing */
            readonly method: string | null;
            /** @description One page, by rank */
            readonly rankings: readonly components["schemas"]["Ranking"][];
            /** @description Records that meet the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        readonly RankingsHistory: {
            /** @description As asked for */
            readonly category_id: string;
            /** @description Always ranking */
            readonly kind: "ranking";
            /** @description Ascending by date, then by rank */
            readonly points: readonly components["schemas"]["RankingPoint"][];
            readonly window: components["schemas"]["HistoryWindow"];
        };
        /** @description One record per model and benchmark */
        readonly Score: {
            /** @description The model */
            readonly model_id: string;
            /** @description The benchmark */
            readonly benchmark_id: string;
            /** @description The score, on the benchmark's own scale */
            readonly value: number;
            /** @description Who measured: official, vendor, independent, community, or another name */
            readonly source: string | null;
            /** @description Day of the measurement */
            readonly measured_at: string | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
        };
        readonly ScoreDelete: {
            /** @description Rises by one from event to event, over the whole feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description What kind of record changed */
            readonly entity_type: "score";
            /** @description Stable id of the record; the parts of a composite one are joined with a colon, as they are */
            readonly entity_id: string;
            readonly key: components["schemas"]["ScoreKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "delete";
            /** @description Null: the record is gone */
            readonly data: components["schemas"]["Score"] | null;
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        /** @description The parts of entity_id under their names in the record */
        readonly ScoreKey: {
            /** @description The model */
            readonly model_id: string;
            /** @description The benchmark */
            readonly benchmark_id: string;
        };
        /** @description What the record said besides, that day */
        readonly ScorePayload: {
            /** @description Sample size */
            readonly n: number | null;
            /** @description Who measured: official, vendor, independent, community, or another name */
            readonly source: string | null;
            /** @description Day of the measurement */
            readonly measured_at: string | null;
        };
        readonly ScoreUpsert: {
            /** @description Rises by one from event to event, over the whole feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description What kind of record changed */
            readonly entity_type: "score";
            /** @description Stable id of the record; the parts of a composite one are joined with a colon, as they are */
            readonly entity_id: string;
            readonly key: components["schemas"]["ScoreKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "upsert";
            readonly data: components["schemas"]["Score"];
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        readonly Scores: {
            /** @description One page, in the order asked for */
            readonly scores: readonly components["schemas"]["Score"][];
            /** @description Records that meet the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        readonly Snapshot: {
            /** @description Stable id: the day */
            readonly id: string;
            /** @description When the files became downloadable */
            readonly published_at: string;
            /** @description Point in time that the data reflect */
            readonly data_as_of: string;
            /** @description Of the records of every file, major.minor */
            readonly schema_version: string;
            /** @description The files */
            readonly datasets: readonly components["schemas"]["DatasetFile"][];
            /** @description Cursor of the change feed that goes on from exactly this snapshot */
            readonly change_cursor: string;
            /** @description The snapshot before; null for the first */
            readonly prev_id: string | null;
        };
        readonly SnapshotDownload: {
            /** @description As asked for */
            readonly dataset: "models" | "benchmarks" | "scores" | "rankings" | "pricing";
            /** @description Needs no key; fetching it costs no quota */
            readonly url: string;
            /** @description Until when the URL is good */
            readonly expires_at: string;
            /** @description Size of the compressed file */
            readonly bytes: number;
            /** @description Of the compressed file, in hex */
            readonly sha256: string;
        };
        readonly Snapshots: {
            /** @description Newest first */
            readonly snapshots: readonly components["schemas"]["Snapshot"][];
        };
        readonly Source: {
            /** @description Under which records name it as their source */
            readonly id: string;
            /** @description For people */
            readonly name: string;
            /** @description Its home page */
            readonly url: string;
            /** @description Licence of the data, by its usual short name */
            readonly license: string | null;
            /** @description Where its terms stand */
            readonly terms_url: string | null;
            /** @description The line that whoever shows the data has to show with it */
            readonly attribution: string | null;
            /** @description Whether its terms allow to pass the data on */
            readonly redistribution: boolean;
            /** @description Day on which somebody last read the terms */
            readonly terms_checked: string | null;
            /** @description When its newest file came */
            readonly fetched_at: string | null;
            /** @description When it was last asked for a file */
            readonly checked_at: string | null;
            /** @description First of the days in a row on which a file of it could not be had; null while all is well */
            readonly failed_since: string | null;
            /** @description Files that are fetched from it */
            readonly files: number;
        };
        readonly Sources: {
            /** @description By id */
            readonly sources: readonly components["schemas"]["Source"][];
        };
        readonly Updates: {
            /** @description As asked for */
            readonly days: number;
            /** @description Newest first */
            readonly models: readonly components["schemas"]["AddedModel"][];
            /** @description Records that meet the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        /** @description What the organization may do */
        readonly AccountPlan: {
            readonly plan: string;
            readonly plan_version: number;
            readonly display_name: string;
            readonly status: string;
            /** @description Without bonus; null when unlimited */
            readonly daily_quota: number | null;
            readonly burst_per_minute: number;
            readonly history_months: number;
            readonly features: readonly string[];
            readonly attribution_required: boolean;
            readonly redistribution_allowed: boolean;
            readonly period_end: string;
        };
        /** @description A point of any kind */
        readonly HistoryPoint: components["schemas"]["ModelScorePoint"] | components["schemas"]["ModelRankingPoint"] | components["schemas"]["ModelPricingPoint"] | components["schemas"]["ModelMetadataPoint"];
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Account = components['schemas']['Account'];
export type AccountUsage = components['schemas']['AccountUsage'];
export type AddedModel = components['schemas']['AddedModel'];
export type Alias = components['schemas']['Alias'];
export type Benchmark = components['schemas']['Benchmark'];
export type Benchmarks = components['schemas']['Benchmarks'];
export type Categories = components['schemas']['Categories'];
export type Category = components['schemas']['Category'];
export type ChangeEvent = components['schemas']['ChangeEvent'];
export type Changes = components['schemas']['Changes'];
export type DatasetFile = components['schemas']['DatasetFile'];
export type HistoryWindow = components['schemas']['HistoryWindow'];
export type MetadataPayload = components['schemas']['MetadataPayload'];
export type Model = components['schemas']['Model'];
export type ModelDelete = components['schemas']['ModelDelete'];
export type ModelDetail = components['schemas']['ModelDetail'];
export type ModelHistory = components['schemas']['ModelHistory'];
export type ModelKey = components['schemas']['ModelKey'];
export type ModelMetadataHistory = components['schemas']['ModelMetadataHistory'];
export type ModelMetadataPoint = components['schemas']['ModelMetadataPoint'];
export type ModelPricingHistory = components['schemas']['ModelPricingHistory'];
export type ModelPricingPoint = components['schemas']['ModelPricingPoint'];
export type ModelRankingHistory = components['schemas']['ModelRankingHistory'];
export type ModelRankingPoint = components['schemas']['ModelRankingPoint'];
export type ModelScoreHistory = components['schemas']['ModelScoreHistory'];
export type ModelScorePoint = components['schemas']['ModelScorePoint'];
export type ModelUpsert = components['schemas']['ModelUpsert'];
export type Models = components['schemas']['Models'];
export type PointSource = components['schemas']['PointSource'];
export type Price = components['schemas']['Price'];
export type PriceDelete = components['schemas']['PriceDelete'];
export type PriceKey = components['schemas']['PriceKey'];
export type PriceUpsert = components['schemas']['PriceUpsert'];
export type PricingPayload = components['schemas']['PricingPayload'];
export type Ranking = components['schemas']['Ranking'];
export type RankingDelete = components['schemas']['RankingDelete'];
export type RankingKey = components['schemas']['RankingKey'];
export type RankingPayload = components['schemas']['RankingPayload'];
export type RankingPoint = components['schemas']['RankingPoint'];
export type RankingUpsert = components['schemas']['RankingUpsert'];
export type Rankings = components['schemas']['Rankings'];
export type RankingsHistory = components['schemas']['RankingsHistory'];
export type Score = components['schemas']['Score'];
export type ScoreDelete = components['schemas']['ScoreDelete'];
export type ScoreKey = components['schemas']['ScoreKey'];
export type ScorePayload = components['schemas']['ScorePayload'];
export type ScoreUpsert = components['schemas']['ScoreUpsert'];
export type Scores = components['schemas']['Scores'];
export type Snapshot = components['schemas']['Snapshot'];
export type SnapshotDownload = components['schemas']['SnapshotDownload'];
export type Snapshots = components['schemas']['Snapshots'];
export type Source = components['schemas']['Source'];
export type Sources = components['schemas']['Sources'];
export type Updates = components['schemas']['Updates'];
export type AccountPlan = components['schemas']['AccountPlan'];
export type HistoryPoint = components['schemas']['HistoryPoint'];
export interface operations {
    readonly listModels: {
        readonly parameters: {
            readonly query?: {
                /** @description Part of the id, the name or an alias, in any case */
                readonly q?: string;
                /** @description What an upstream calls the model, or its id, exactly */
                readonly alias?: string;
                /** @description Who made the model */
                readonly organization?: string;
                /** @description A provider that serves the model */
                readonly provider?: string;
                /** @description Least context length in tokens */
                readonly min_context?: number;
                /** @description Released on this day or later */
                readonly released_after?: string;
                /** @description Released on this day or earlier */
                readonly released_before?: string;
                /** @description Sold somewhere at this input price per million or less */
                readonly max_input_price?: number;
                /** @description Sold somewhere at this output price per million or less; with max_input_price by the same provider */
                readonly max_output_price?: number;
                /** @description Order; a minus turns it round; records without the value come last */
                readonly sort?: "id" | "name" | "release_date" | "context_length" | "updated_at" | "-id" | "-name" | "-release_date" | "-context_length" | "-updated_at";
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters and order */
                readonly cursor?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Models"];
                };
            };
        };
    };
    readonly getModel: {
        readonly parameters: {
            readonly query?: never;
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["ModelDetail"];
                };
            };
        };
    };
    readonly listBenchmarks: {
        readonly parameters: {
            readonly query?: {
                /** @description What the benchmark measures */
                readonly category?: string;
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters and order */
                readonly cursor?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Benchmarks"];
                };
            };
        };
    };
    readonly listScores: {
        readonly parameters: {
            readonly query?: {
                /** @description The model */
                readonly model?: string;
                /** @description The benchmark */
                readonly benchmark?: string;
                /** @description Who measured */
                readonly source?: string;
                /** @description Least score */
                readonly min_value?: number;
                /** @description Greatest score */
                readonly max_value?: number;
                /** @description Measured on this day or later */
                readonly measured_after?: string;
                /** @description Measured on this day or earlier */
                readonly measured_before?: string;
                /** @description Order; a minus turns it round; records without the value come last */
                readonly sort?: "model_id" | "value" | "-value" | "-measured_at";
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters and order */
                readonly cursor?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Scores"];
                };
            };
        };
    };
    readonly listRankings: {
        readonly parameters: {
            readonly query: {
                /** @description The category; GET /v1/categories lists them */
                readonly category: string;
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters and order */
                readonly cursor?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Rankings"];
                };
            };
        };
    };
    readonly listUpdates: {
        readonly parameters: {
            readonly query?: {
                /** @description How many days before today to look back */
                readonly days?: number;
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the page before, with the same filters and order */
                readonly cursor?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Updates"];
                };
            };
        };
    };
    readonly listCategories: {
        readonly parameters: {
            readonly query?: never;
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Categories"];
                };
            };
        };
    };
    readonly listSources: {
        readonly parameters: {
            readonly query?: never;
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Sources"];
                };
            };
        };
    };
    readonly getModelHistory: {
        readonly parameters: {
            readonly query: {
                /** @description What of the model */
                readonly kind: "score" | "ranking" | "pricing" | "metadata";
                /** @description First day, inclusive; default 400 days before `to`, or where the plan begins */
                readonly from?: string;
                /** @description Last day, inclusive; default today */
                readonly to?: string;
                /** @description Narrows kind=score to one benchmark */
                readonly benchmark_id?: string;
                /** @description Narrows kind=ranking to one category */
                readonly category_id?: string;
                /** @description Narrows kind=pricing to one provider */
                readonly provider?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["ModelHistory"];
                };
            };
        };
    };
    readonly getRankingsHistory: {
        readonly parameters: {
            readonly query: {
                /** @description The category */
                readonly category_id: string;
                /** @description First day, inclusive; default 400 days before `to`, or where the plan begins */
                readonly from?: string;
                /** @description Last day, inclusive; default today */
                readonly to?: string;
                /** @description Positions per date, ties counted once */
                readonly top?: number;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["RankingsHistory"];
                };
            };
        };
    };
    readonly listSnapshots: {
        readonly parameters: {
            readonly query?: {
                /** @description Only snapshots in this version, `major` or `major.minor`; left out: in every version */
                readonly schema_version?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Snapshots"];
                };
            };
        };
    };
    readonly downloadSnapshot: {
        readonly parameters: {
            readonly query: {
                /** @description Which file */
                readonly dataset: "models" | "benchmarks" | "scores" | "rankings" | "pricing";
                /** @description The version of the records, `major` or `major.minor`; default: that of the id */
                readonly schema_version?: string;
                /** @description Answer with a redirect to the file */
                readonly redirect?: boolean;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["SnapshotDownload"];
                };
            };
        };
    };
    readonly listChanges: {
        readonly parameters: {
            readonly query?: {
                /** @description A change_cursor of a snapshot or a next_cursor; left out: begins at retained_from */
                readonly cursor?: string;
                /** @description Events per page */
                readonly limit?: number;
                /** @description Only events of this type; cursors stay the same */
                readonly entity_type?: "model" | "score" | "ranking" | "pricing";
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Changes"];
                };
            };
        };
    };
    readonly getAccount: {
        readonly parameters: {
            readonly query?: never;
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
}
