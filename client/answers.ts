/**
 * Bodies of responses, and parameters of requests. Any of them may get more fields (specification "Versioning of the API").
 * Generated from /openapi.json by `make golden`; change the schemas of the routes instead.
 */
export interface components {
    schemas: {
        readonly Account: {
            readonly plan: components["schemas"]["AccountPlan"];
            readonly usage: components["schemas"]["AccountUsage"];
            /** @description Type of credential: api_key, mcp_api_key, mcp_oauth; more may be added */
            readonly client_source: string;
        };
        /** @description Quota usage of the day */
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
            /** @description Upstream of this record: an id of GET /v1/sources */
            readonly source?: string | null;
            /** @description Where it is in its life: active, preview, deprecated, retired */
            readonly status?: string | null;
            /** @description Day from which its maker advises against it */
            readonly deprecated_on?: string | null;
            /** @description Day from which its maker no longer serves it, past or planned */
            readonly retires_on?: string | null;
            /** @description Id of the model that its maker names as its successor */
            readonly replaced_by?: string | null;
            /** @description Longest output in tokens */
            readonly max_output_tokens?: number | null;
            /** @description Year, month or day up to which it was trained */
            readonly knowledge_cutoff?: string | null;
            /** @description Whether its weights can be downloaded */
            readonly open_weights?: boolean | null;
            /** @description What it takes and gives, as lists input and output */
            readonly modalities?: components["schemas"]["Modalities"] | null;
            /** @description What it can do, such as tools or reasoning, sorted */
            readonly capabilities?: readonly string[] | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
            /** @description First capture that has it */
            readonly added_at: string;
        };
        readonly Alias: {
            /** @description The upstream */
            readonly upstream: string;
            /** @description Name of the model there */
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
            /** @description Records that match the filters, on all pages */
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
            /** @description Cursor of the next page; store it once this page is applied */
            readonly next_cursor: string;
            /** @description True: fetch the next page at once */
            readonly has_more: boolean;
            /** @description The earliest day still in the feed */
            readonly retained_from: string;
            /** @description The newest published day, with or without changes */
            readonly published_through: string;
        };
        readonly Cost: {
            /** @description As requested */
            readonly model_id: string;
            /** @description The sum of the parts */
            readonly cost: number;
            /** @description ISO 4217 code */
            readonly currency: string;
            /** @description By meter; without meters whose quantity is 0 */
            readonly parts: readonly components["schemas"]["CostPart"][];
            /** @description As requested, or the cheapest */
            readonly provider: string;
            /** @description Day of the price */
            readonly on: string;
            /** @description First day of the interval of the price; null while its row is set aside */
            readonly valid_from: string | null;
            /** @description Origin of the price */
            readonly source: components["schemas"]["PointSource"];
            /** @description Providers that were not compared, by id; empty if one was requested */
            readonly missing: readonly components["schemas"]["CostMissing"][];
        };
        readonly CostMissing: {
            /** @description A provider of the model */
            readonly provider: string;
            /** @description Meters of the request that it has no rate for; all if its price on the day is not known */
            readonly meters: readonly string[];
        };
        /** @description The cost of one meter at one rate */
        readonly CostPart: {
            /** @description What is counted */
            readonly meter: string;
            /** @description In the unit of the rate */
            readonly quantity: number;
            /** @description The rate, as in the price */
            readonly rate: components["schemas"]["Rate"];
            /** @description Quantity × price ÷ per, rounded half up to 12 decimal places */
            readonly cost: number;
            /** @description What the price leaves open and the cost takes for granted: applies, order, context, conditions */
            readonly assumed: readonly string[];
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
            /** @description By upstream whose records are in the file; absent if none is known */
            readonly terms?: readonly components["schemas"]["Terms"][];
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
        readonly Lifecycle: {
            /** @description One page, by date, then id; without a date last */
            readonly lifecycle: readonly components["schemas"]["LifecycleEntry"][];
            /** @description Records that match the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        /** @description One entry per model and event */
        readonly LifecycleEntry: {
            /** @description The model */
            readonly model_id: string;
            /** @description Display name */
            readonly name: string;
            /** @description Who made the model */
            readonly organization: string | null;
            /** @description What happens to it */
            readonly event: "deprecation" | "retirement";
            /** @description Day of the event, past or planned; null: not known */
            readonly date: string | null;
            /** @description Where it is in its life: active, preview, deprecated, retired */
            readonly status: string | null;
            /** @description Id of the model that its maker names as its successor */
            readonly replaced_by: string | null;
            /** @description Upstream of this record: an id of GET /v1/sources */
            readonly source: string | null;
            /** @description First captured day since which the records say the same of it; null: not known */
            readonly known_since: string | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
        };
        readonly ListedModel: {
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
            /** @description Upstream of this record: an id of GET /v1/sources */
            readonly source?: string | null;
            /** @description Where it is in its life: active, preview, deprecated, retired */
            readonly status?: string | null;
            /** @description Day from which its maker advises against it */
            readonly deprecated_on?: string | null;
            /** @description Day from which its maker no longer serves it, past or planned */
            readonly retires_on?: string | null;
            /** @description Id of the model that its maker names as its successor */
            readonly replaced_by?: string | null;
            /** @description Longest output in tokens */
            readonly max_output_tokens?: number | null;
            /** @description Year, month or day up to which it was trained */
            readonly knowledge_cutoff?: string | null;
            /** @description Whether its weights can be downloaded */
            readonly open_weights?: boolean | null;
            /** @description What it takes and gives, as lists input and output */
            readonly modalities?: components["schemas"]["Modalities"] | null;
            /** @description What it can do, such as tools or reasoning, sorted */
            readonly capabilities?: readonly string[] | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
            /** @description First captured day on which the model was no longer in the data; absent while it is */
            readonly removed_at?: string;
        };
        /** @description Other fields of the record on that day */
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
            /** @description Where it is in its life: active, preview, deprecated, retired */
            readonly status?: string;
            /** @description Day from which its maker advises against it */
            readonly deprecated_on?: string;
            /** @description Day from which its maker no longer serves it, past or planned */
            readonly retires_on?: string;
            /** @description Id of the model that its maker names as its successor */
            readonly replaced_by?: string;
            /** @description Longest output in tokens */
            readonly max_output_tokens?: number;
            /** @description Year, month or day up to which it was trained */
            readonly knowledge_cutoff?: string;
            /** @description Whether its weights can be downloaded */
            readonly open_weights?: boolean;
            /** @description What it takes and gives, as lists input and output */
            readonly modalities?: components["schemas"]["Modalities"];
            /** @description What it can do, such as tools or reasoning, sorted */
            readonly capabilities?: readonly string[];
        };
        readonly Modalities: {
            /** @description What it takes, sorted: text, image, audio, video, pdf … */
            readonly input: readonly string[];
            /** @description What it gives, sorted */
            readonly output: readonly string[];
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
            /** @description Upstream of this record: an id of GET /v1/sources */
            readonly source?: string | null;
            /** @description Where it is in its life: active, preview, deprecated, retired */
            readonly status?: string | null;
            /** @description Day from which its maker advises against it */
            readonly deprecated_on?: string | null;
            /** @description Day from which its maker no longer serves it, past or planned */
            readonly retires_on?: string | null;
            /** @description Id of the model that its maker names as its successor */
            readonly replaced_by?: string | null;
            /** @description Longest output in tokens */
            readonly max_output_tokens?: number | null;
            /** @description Year, month or day up to which it was trained */
            readonly knowledge_cutoff?: string | null;
            /** @description Whether its weights can be downloaded */
            readonly open_weights?: boolean | null;
            /** @description What it takes and gives, as lists input and output */
            readonly modalities?: components["schemas"]["Modalities"] | null;
            /** @description What it can do, such as tools or reasoning, sorted */
            readonly capabilities?: readonly string[] | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
        };
        readonly ModelDelete: {
            /** @description Increases by one with every event of the feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description Kind of record that changed */
            readonly entity_type: "model";
            /** @description Stable id of the record; the parts of a composite key are joined with colons, unescaped */
            readonly entity_id: string;
            readonly key: components["schemas"]["ModelKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "delete";
            /** @description Null: the record was deleted */
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
            /** @description Upstream of this record: an id of GET /v1/sources */
            readonly source?: string | null;
            /** @description Where it is in its life: active, preview, deprecated, retired */
            readonly status?: string | null;
            /** @description Day from which its maker advises against it */
            readonly deprecated_on?: string | null;
            /** @description Day from which its maker no longer serves it, past or planned */
            readonly retires_on?: string | null;
            /** @description Id of the model that its maker names as its successor */
            readonly replaced_by?: string | null;
            /** @description Longest output in tokens */
            readonly max_output_tokens?: number | null;
            /** @description Year, month or day up to which it was trained */
            readonly knowledge_cutoff?: string | null;
            /** @description Whether its weights can be downloaded */
            readonly open_weights?: boolean | null;
            /** @description What it takes and gives, as lists input and output */
            readonly modalities?: components["schemas"]["Modalities"] | null;
            /** @description What it can do, such as tools or reasoning, sorted */
            readonly capabilities?: readonly string[] | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
            /** @description By benchmark */
            readonly scores: readonly components["schemas"]["Score"][];
            /** @description By category */
            readonly rankings: readonly components["schemas"]["Ranking"][];
            /** @description By provider */
            readonly pricing: readonly components["schemas"]["Price"][];
            /** @description Names at upstreams, by upstream and name */
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
            /** @description As requested */
            readonly model_id: string;
            /** @description As requested */
            readonly kind: "metadata";
            /** @description Ascending by date, then by series */
            readonly points: readonly components["schemas"]["ModelMetadataPoint"][];
            readonly window: components["schemas"]["HistoryWindow"];
        };
        readonly ModelMetadataPoint: {
            /** @description UTC day */
            readonly date: string;
            /** @description Null: a record has no single value */
            readonly value: number | null;
            /** @description Null except for scores */
            readonly benchmark_id: string | null;
            /** @description Null except for rankings */
            readonly category_id: string | null;
            readonly payload: components["schemas"]["MetadataPayload"];
            /** @description Origin of the value */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly ModelPricingHistory: {
            /** @description As requested */
            readonly model_id: string;
            /** @description As requested */
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
            /** @description Null except for scores */
            readonly benchmark_id: string | null;
            /** @description Null except for rankings */
            readonly category_id: string | null;
            readonly payload: components["schemas"]["PricingPayload"];
            /** @description Origin of the value */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly ModelRankingHistory: {
            /** @description As requested */
            readonly model_id: string;
            /** @description As requested */
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
            /** @description Null except for scores */
            readonly benchmark_id: string | null;
            /** @description The ranked category */
            readonly category_id: string;
            readonly payload: components["schemas"]["RankingPayload"];
            /** @description Origin of the value */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly ModelScoreHistory: {
            /** @description As requested */
            readonly model_id: string;
            /** @description As requested */
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
            /** @description Null except for rankings */
            readonly category_id: string | null;
            readonly payload: components["schemas"]["ScorePayload"];
            /** @description Origin of the value */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly ModelUpsert: {
            /** @description Increases by one with every event of the feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description Kind of record that changed */
            readonly entity_type: "model";
            /** @description Stable id of the record; the parts of a composite key are joined with colons, unescaped */
            readonly entity_id: string;
            readonly key: components["schemas"]["ModelKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "upsert";
            readonly data: components["schemas"]["Model"];
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        readonly Models: {
            /** @description One page, in the requested order */
            readonly models: readonly components["schemas"]["ListedModel"][];
            /** @description Records that match the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        readonly NameMatch: {
            /** @description The model */
            readonly model_id: string;
            /** @description Its name */
            readonly name: string;
            /** @description Its maker */
            readonly organization: string | null;
            /** @description What of the model it matches, or the last step that makes both the same */
            readonly match: "id" | "alias" | "name" | "spelling" | "path" | "prefix" | "suffix" | "date" | "search";
            /** @description exact, sure: no other model matches as well; likely, possible: ask before you use it */
            readonly confidence: "exact" | "sure" | "likely" | "possible";
            /** @description Why, in words */
            readonly why: string;
        };
        /** @description Origin of a value; backfill for pricing only */
        readonly PointSource: "capture" | "backfill";
        /** @description One record per model and provider */
        readonly Price: {
            /** @description The model */
            readonly model_id: string;
            /** @description Provider that sells the model */
            readonly provider: string;
            /** @description Price of a million input tokens */
            readonly input_per_million: number | null;
            /** @description Price of a million output tokens */
            readonly output_per_million: number | null;
            /** @description ISO 4217 code */
            readonly currency: string;
            /** @description First day of this price */
            readonly effective_from: string | null;
            /** @description Upstream of this record: an id of GET /v1/sources */
            readonly source?: string | null;
            /** @description Prices by meter and condition, sorted */
            readonly rates?: readonly components["schemas"]["Rate"][] | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
        };
        readonly PriceDelete: {
            /** @description Increases by one with every event of the feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description Kind of record that changed */
            readonly entity_type: "pricing";
            /** @description Stable id of the record; the parts of a composite key are joined with colons, unescaped */
            readonly entity_id: string;
            readonly key: components["schemas"]["PriceKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "delete";
            /** @description Null: the record was deleted */
            readonly data: components["schemas"]["Price"] | null;
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        /** @description The parts of entity_id under their names in the record */
        readonly PriceKey: {
            /** @description The model */
            readonly model_id: string;
            /** @description Provider that sells the model */
            readonly provider: string;
        };
        readonly PriceUpsert: {
            /** @description Increases by one with every event of the feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description Kind of record that changed */
            readonly entity_type: "pricing";
            /** @description Stable id of the record; the parts of a composite key are joined with colons, unescaped */
            readonly entity_id: string;
            readonly key: components["schemas"]["PriceKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "upsert";
            readonly data: components["schemas"]["Price"];
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        readonly Pricing: {
            /** @description One page, in the requested order */
            readonly pricing: readonly components["schemas"]["Price"][];
            /** @description Records that match the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        /** @description Other fields of the record on that day */
        readonly PricingPayload: {
            /** @description Provider that sells the model */
            readonly provider: string;
            /** @description Price of a million input tokens */
            readonly input_per_million: number | null;
            /** @description Price of a million output tokens */
            readonly output_per_million: number | null;
            /** @description ISO 4217 code */
            readonly currency: string;
            /** @description First day of this price */
            readonly effective_from: string | null;
            /** @description Prices by meter and condition, sorted */
            readonly rates?: readonly components["schemas"]["Rate"][];
        };
        /** @description One record per model and category */
        readonly Ranking: {
            /** @description The model */
            readonly model_id: string;
            /** @description The category that is ranked */
            readonly category: string;
            /** @description Position, 1 is best; ties share a position */
            readonly rank: number;
            /** @description Estimated skill */
            readonly trueskill_mu: number | null;
            /** @description Uncertainty of the estimate */
            readonly trueskill_sigma: number | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
        };
        readonly RankingDelete: {
            /** @description Increases by one with every event of the feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description Kind of record that changed */
            readonly entity_type: "ranking";
            /** @description Stable id of the record; the parts of a composite key are joined with colons, unescaped */
            readonly entity_id: string;
            readonly key: components["schemas"]["RankingKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "delete";
            /** @description Null: the record was deleted */
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
        /** @description Other fields of the record on that day */
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
            /** @description The model in this position */
            readonly model_id: string;
            /** @description The ranked category */
            readonly category_id: string;
            readonly payload: components["schemas"]["RankingPayload"];
            /** @description Origin of the value */
            readonly source: components["schemas"]["PointSource"] | null;
        };
        readonly RankingUpsert: {
            /** @description Increases by one with every event of the feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description Kind of record that changed */
            readonly entity_type: "ranking";
            /** @description Stable id of the record; the parts of a composite key are joined with colons, unescaped */
            readonly entity_id: string;
            readonly key: components["schemas"]["RankingKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "upsert";
            readonly data: components["schemas"]["Ranking"];
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        readonly Rankings: {
            /** @description As requested */
            readonly category: string;
            /** @description Capture that brought the current rankings; null before any */
            readonly ranked_at: string | null;
            /** @description Method of the ranking, as its source states; null if it states none */
            readonly method: string | null;
            /** @description One page, by rank */
            readonly rankings: readonly components["schemas"]["Ranking"][];
            /** @description Records that match the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        readonly RankingsHistory: {
            /** @description As requested */
            readonly category_id: string;
            /** @description Always ranking */
            readonly kind: "ranking";
            /** @description Ascending by date, then by rank */
            readonly points: readonly components["schemas"]["RankingPoint"][];
            readonly window: components["schemas"]["HistoryWindow"];
        };
        /** @description A price of a meter; the one with `when` applies where all of it holds */
        readonly Rate: {
            /** @description What is counted: input, output, cache_read, cache_write, cache_write_1h, reasoning, image_in, image_out, audio_in, audio_out, video_out, request, search */
            readonly meter: string;
            /** @description Unit of the meter: token, image, second, request, page */
            readonly unit: string;
            /** @description The price is for so many units */
            readonly per: number;
            /** @description In the price's currency; 0 is free */
            readonly price: number;
            readonly when?: components["schemas"]["RateCondition"];
        };
        readonly RateCondition: {
            /** @description Tier of service: batch, flex, priority, fast */
            readonly tier?: string;
            /** @description The request has more input tokens than this */
            readonly context_min?: number;
            /** @description With context_min: request charges all tokens of the request at this rate, marginal those above; absent: unknown */
            readonly applies?: string;
            /** @description Where the request is processed, as the provider names it */
            readonly region?: string;
        };
        readonly ResolvedName: {
            /** @description As requested */
            readonly name: string;
            /** @description Best first; empty if no model matches */
            readonly matches: readonly components["schemas"]["NameMatch"][];
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
            /** @description Standard error, on the score's scale */
            readonly stderr?: number | null;
            /** @description How the model was run, such as its reasoning effort */
            readonly variant?: string | null;
            /** @description Who published the score: maker, evaluator, third_party */
            readonly reported_by?: string | null;
            /** @description Where it was published */
            readonly source_url?: string | null;
            /** @description When the content of this record last changed, UTC */
            readonly updated_at: string;
            /** @description Sample size */
            readonly n?: number | null;
        };
        readonly ScoreDelete: {
            /** @description Increases by one with every event of the feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description Kind of record that changed */
            readonly entity_type: "score";
            /** @description Stable id of the record; the parts of a composite key are joined with colons, unescaped */
            readonly entity_id: string;
            readonly key: components["schemas"]["ScoreKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "delete";
            /** @description Null: the record was deleted */
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
        /** @description Other fields of the record on that day */
        readonly ScorePayload: {
            /** @description Sample size */
            readonly n: number | null;
            /** @description Who measured: official, vendor, independent, community, or another name */
            readonly source: string | null;
            /** @description Day of the measurement */
            readonly measured_at: string | null;
            /** @description Standard error, on the score's scale */
            readonly stderr?: number;
            /** @description How the model was run, such as its reasoning effort */
            readonly variant?: string;
            /** @description Who published the score: maker, evaluator, third_party */
            readonly reported_by?: string;
            /** @description Where it was published */
            readonly source_url?: string;
        };
        readonly ScoreUpsert: {
            /** @description Increases by one with every event of the feed */
            readonly seq: number;
            /** @description UTC day on which the change was published */
            readonly occurred_on: string;
            /** @description Kind of record that changed */
            readonly entity_type: "score";
            /** @description Stable id of the record; the parts of a composite key are joined with colons, unescaped */
            readonly entity_id: string;
            readonly key: components["schemas"]["ScoreKey"];
            /** @description The first upsert of an entity_id creates it */
            readonly op: "upsert";
            readonly data: components["schemas"]["Score"];
            /** @description Of the record in data, major.minor */
            readonly schema_version: string;
        };
        readonly Scores: {
            /** @description One page, in the requested order */
            readonly scores: readonly components["schemas"]["Score"][];
            /** @description Records that match the filters, on all pages */
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
            /** @description Cursor that continues the change feed from this snapshot */
            readonly change_cursor: string;
            /** @description The previous snapshot; null for the first */
            readonly prev_id: string | null;
        };
        readonly SnapshotDownload: {
            /** @description As requested */
            readonly dataset: "models" | "benchmarks" | "scores" | "rankings" | "pricing";
            /** @description Needs no key; fetching it costs no quota */
            readonly url: string;
            /** @description When the URL expires */
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
            /** @description Id that records have as `source` */
            readonly id: string;
            /** @description For people */
            readonly name: string;
            /** @description Its home page */
            readonly url: string;
            /** @description Licence of the data, by its usual short name */
            readonly license: string | null;
            /** @description Address of its terms */
            readonly terms_url: string | null;
            /** @description Text to show with the data */
            readonly attribution: string | null;
            /** @description Whether its terms allow redistribution */
            readonly redistribution: boolean;
            /** @description Day on which the terms were last checked */
            readonly terms_checked: string | null;
            /** @description When its newest file was fetched */
            readonly fetched_at: string | null;
            /** @description When a file was last requested */
            readonly checked_at: string | null;
            /** @description First of the consecutive days on which a file could not be fetched; null if there are none */
            readonly failed_since: string | null;
            /** @description Number of files fetched from it */
            readonly files: number;
        };
        readonly Sources: {
            /** @description By id */
            readonly sources: readonly components["schemas"]["Source"][];
        };
        readonly Terms: {
            /** @description Id of the upstream */
            readonly source: string;
            /** @description Licence of its data */
            readonly license: string | null;
            /** @description Whether its terms allow redistribution */
            readonly redistribution: boolean;
        };
        readonly Updates: {
            /** @description As requested */
            readonly days: number;
            /** @description Newest first */
            readonly models: readonly components["schemas"]["AddedModel"][];
            /** @description Records that match the filters, on all pages */
            readonly total: number;
            /** @description For the next page; null on the last one */
            readonly next_cursor: string | null;
        };
        /** @description Terms of the organization */
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
export type Cost = components['schemas']['Cost'];
export type CostMissing = components['schemas']['CostMissing'];
export type CostPart = components['schemas']['CostPart'];
export type DatasetFile = components['schemas']['DatasetFile'];
export type HistoryWindow = components['schemas']['HistoryWindow'];
export type Lifecycle = components['schemas']['Lifecycle'];
export type LifecycleEntry = components['schemas']['LifecycleEntry'];
export type ListedModel = components['schemas']['ListedModel'];
export type MetadataPayload = components['schemas']['MetadataPayload'];
export type Modalities = components['schemas']['Modalities'];
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
export type NameMatch = components['schemas']['NameMatch'];
export type PointSource = components['schemas']['PointSource'];
export type Price = components['schemas']['Price'];
export type PriceDelete = components['schemas']['PriceDelete'];
export type PriceKey = components['schemas']['PriceKey'];
export type PriceUpsert = components['schemas']['PriceUpsert'];
export type Pricing = components['schemas']['Pricing'];
export type PricingPayload = components['schemas']['PricingPayload'];
export type Ranking = components['schemas']['Ranking'];
export type RankingDelete = components['schemas']['RankingDelete'];
export type RankingKey = components['schemas']['RankingKey'];
export type RankingPayload = components['schemas']['RankingPayload'];
export type RankingPoint = components['schemas']['RankingPoint'];
export type RankingUpsert = components['schemas']['RankingUpsert'];
export type Rankings = components['schemas']['Rankings'];
export type RankingsHistory = components['schemas']['RankingsHistory'];
export type Rate = components['schemas']['Rate'];
export type RateCondition = components['schemas']['RateCondition'];
export type ResolvedName = components['schemas']['ResolvedName'];
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
export type Terms = components['schemas']['Terms'];
export type Updates = components['schemas']['Updates'];
export type AccountPlan = components['schemas']['AccountPlan'];
export type HistoryPoint = components['schemas']['HistoryPoint'];
export interface operations {
    readonly listModels: {
        readonly parameters: {
            readonly query?: {
                /** @description Part of the id, the name or an alias; case-insensitive */
                readonly q?: string;
                /** @description Exact name of the model at an upstream, or its id */
                readonly alias?: string;
                /** @description Maker of the model */
                readonly organization?: string;
                /** @description A provider that serves the model */
                readonly provider?: string;
                /** @description Minimum context length in tokens */
                readonly min_context?: number;
                /** @description Released on this day or later */
                readonly released_after?: string;
                /** @description Released on this day or earlier */
                readonly released_before?: string;
                /** @description Some provider sells at this input price per million tokens or less */
                readonly max_input_price?: number;
                /** @description Some provider sells at this output price per million tokens or less; with max_input_price, the same provider */
                readonly max_output_price?: number;
                /** @description Also models that are no longer in the data, with `removed_at`; they have no price and no alias */
                readonly include?: "removed";
                /** @description Order; a minus reverses it; records without the value come last. `relevance` needs `q` */
                readonly sort?: "id" | "name" | "release_date" | "context_length" | "updated_at" | "-id" | "-name" | "-release_date" | "-context_length" | "-updated_at" | "relevance";
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the previous page, with the same filters and order */
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
    readonly resolveName: {
        readonly parameters: {
            readonly query: {
                /** @description A model’s name, as an upstream, a seller or a person writes it */
                readonly name: string;
                /** @description Most matches */
                readonly limit?: number;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["ResolvedName"];
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
                /** @description The `next_cursor` of the previous page, with the same filters and order */
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
                /** @description Source of the score */
                readonly source?: string;
                /** @description Minimum score */
                readonly min_value?: number;
                /** @description Maximum score */
                readonly max_value?: number;
                /** @description Measured on this day or later */
                readonly measured_after?: string;
                /** @description Measured on this day or earlier */
                readonly measured_before?: string;
                /** @description Order; a minus reverses it; records without the value come last */
                readonly sort?: "model_id" | "value" | "-value" | "-measured_at";
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the previous page, with the same filters and order */
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
    readonly listPricing: {
        readonly parameters: {
            readonly query?: {
                /** @description The model */
                readonly model?: string;
                /** @description Provider that sells the model */
                readonly provider?: string;
                /** @description Only prices with a rate of this meter without condition; bounds and order are by that rate, default input */
                readonly meter?: "input" | "output" | "cache_read" | "cache_write" | "cache_write_1h" | "reasoning" | "image_in" | "image_out" | "audio_in" | "audio_out" | "video_out" | "request" | "search";
                /** @description Minimum price per million tokens; of the meters request and search per request */
                readonly min_price?: number;
                /** @description Maximum price per million tokens; of the meters request and search per request */
                readonly max_price?: number;
                /** @description Order; a minus reverses it; rates in another unit come last */
                readonly sort?: "model_id" | "price" | "-price" | "-updated_at";
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the previous page, with the same filters and order */
                readonly cursor?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Pricing"];
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
                /** @description The `next_cursor` of the previous page, with the same filters and order */
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
                /** @description Number of days before today */
                readonly days?: number;
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the previous page, with the same filters and order */
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
    readonly getCost: {
        readonly parameters: {
            readonly query: {
                /** @description The model */
                readonly model: string;
                /** @description The provider; default: the cheapest that has a rate for every meter of the request */
                readonly provider?: string;
                /** @description Day of the price; default: today */
                readonly on?: string;
                /** @description Input tokens that are neither read from the cache nor written to it */
                readonly input: number;
                /** @description Output tokens, without those counted as `reasoning` */
                readonly output?: number;
                /** @description Input tokens read from the cache */
                readonly cache_read?: number;
                /** @description Input tokens written to the cache */
                readonly cache_write?: number;
                /** @description Input tokens written to the cache for an hour */
                readonly cache_write_1h?: number;
                /** @description Reasoning tokens, where they have a rate of their own */
                readonly reasoning?: number;
                /** @description Tokens or number of images in the input */
                readonly image_in?: number;
                /** @description Tokens or number of images in the output */
                readonly image_out?: number;
                /** @description Tokens or seconds of audio in the input */
                readonly audio_in?: number;
                /** @description Tokens or seconds of audio in the output */
                readonly audio_out?: number;
                /** @description Tokens or seconds of video in the output */
                readonly video_out?: number;
                /** @description Requests, where each is charged */
                readonly request?: number;
                /** @description Web searches */
                readonly search?: number;
                /** @description Units of meters that have rates in several, as `METER:UNIT`, comma-separated */
                readonly units?: string;
                /** @description Tier of service; default: the standard one */
                readonly tier?: "batch" | "flex" | "priority" | "fast";
                /** @description Where the request is processed, as the provider names it */
                readonly region?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Cost"];
                };
            };
        };
    };
    readonly listLifecycle: {
        readonly parameters: {
            readonly query?: {
                /** @description Dates up to so many days after `from`, or after the release's day */
                readonly days?: number;
                /** @description First date; default: the release's day, or with `model` the first of all */
                readonly from?: string;
                /** @description Only these models, at most 50 ids separated by commas; without `from` their past dates too */
                readonly model?: string;
                /** @description Maker of the model */
                readonly organization?: string;
                /** @description Only this event */
                readonly event?: "deprecation" | "retirement";
                /** @description Records per page */
                readonly limit?: number;
                /** @description The `next_cursor` of the previous page, with the same filters and order */
                readonly cursor?: string;
            };
        };
        readonly responses: {
            readonly 200: {
                content: {
                    readonly "application/json": components["schemas"]["Lifecycle"];
                };
            };
        };
    };
    readonly getModelHistory: {
        readonly parameters: {
            readonly query: {
                /** @description What history to return */
                readonly kind: "score" | "ranking" | "pricing" | "metadata";
                /** @description First day, inclusive; default: 400 days before `to`, or the plan's first day */
                readonly from?: string;
                /** @description Last day, inclusive; default: today */
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
                /** @description First day, inclusive; default: 400 days before `to`, or the plan's first day */
                readonly from?: string;
                /** @description Last day, inclusive; default: today */
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
                /** @description Only snapshots in this version, `major` or `major.minor`; default: all */
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
                /** @description The dataset of the file */
                readonly dataset: "models" | "benchmarks" | "scores" | "rankings" | "pricing";
                /** @description The version of the records, `major` or `major.minor`; default: that of the id */
                readonly schema_version?: string;
                /** @description Redirect to the file */
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
                /** @description A change_cursor of a snapshot or a next_cursor; default: from retained_from on */
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
