-- genai-prices' data.json, first or second version: a list of providers, each with a list of its models. README.md beside this
-- file has the rules and their reasons.

-- models
-- One row per id, whoever lists it. Each field is the first that is known, in the order of the providers' ids.
WITH providers AS (
  SELECT id AS provider, unnest(models) AS entry
  FROM read_json('genai-prices.json', columns = {id: 'VARCHAR', models: 'JSON[]'}, maximum_object_size = 16777216)
), facts AS (
  SELECT entry->>'id' AS id, provider, nullif(trim(entry->>'name', E' \t\r\n'), '') AS name,
         TRY_CAST(entry->>'context_window' AS BIGINT) AS context,
         -- Of a maker's own offer.
         entry->>'deprecated' = 'true' AND (provider IN ('anthropic', 'cohere', 'deepseek', 'minimax', 'mistral', 'moonshotai', 'openai',
                                                         'perplexity', 'voyageai', 'x-ai', 'zhipuai')
                                            OR provider = 'google' AND starts_with(id, 'gem')) AS is_deprecated
  FROM providers
)
SELECT id,
       coalesce(first(name ORDER BY provider) FILTER (WHERE name IS NOT NULL), id) AS name,
       NULL AS organization, NULL AS release_date,
       first(context ORDER BY provider) FILTER (WHERE context BETWEEN 1 AND 99999998) AS context_length,
       list(DISTINCT provider ORDER BY provider) AS inference,
       CASE WHEN bool_or(is_deprecated) THEN 'deprecated' END AS status
FROM facts
GROUP BY id;

-- pricing
-- One row per model and provider, dollars per million as upstream has them. Where prices have conditions, the last one whose
-- condition holds at 12:00 UTC on the day of the folder; where the folder is not named after a day, today.
WITH providers AS (
  SELECT id AS provider, unnest(models) AS entry,
         coalesce(TRY_CAST(regexp_extract(filename, '(\d{4}-\d{2}-\d{2})[/\\][^/\\]*$', 1) AS DATE), current_date) AS day
  FROM read_json('genai-prices.json', columns = {id: 'VARCHAR', models: 'JSON[]'}, maximum_object_size = 16777216, filename = true)
), choices AS (
  SELECT provider, entry->>'id' AS id, day,
         unnest(CASE json_type(entry->'prices') WHEN 'ARRAY' THEN (entry->'prices')::JSON[] ELSE [json_object('prices', entry->'prices')] END) AS choice,
         generate_subscripts(CASE json_type(entry->'prices') WHEN 'ARRAY' THEN (entry->'prices')::JSON[] ELSE ['{}'::JSON] END, 1) AS place
  FROM providers
), conditions AS (
  SELECT provider, id, day, place, choice->'prices' AS prices,
         TRY_CAST(choice->'constraint'->>'start_date' AS DATE) AS start_date,
         left(choice->'constraint'->>'start_time', 8) AS start_time, left(choice->'constraint'->>'end_time', 8) AS end_time,
         json_type(choice->'constraint') IS NULL AS is_default
  FROM choices
), in_force AS (
  SELECT provider, id, start_date, prices
  FROM conditions
  WHERE is_default OR start_date <= day
     OR (CASE WHEN start_time <= end_time THEN '12:00:00' >= start_time AND '12:00:00' < end_time
              ELSE '12:00:00' >= start_time OR '12:00:00' < end_time END)
  QUALIFY row_number() OVER (PARTITION BY provider, id ORDER BY place DESC) = 1
), meters(name, meter, unit, per) AS (
  VALUES
    ('input_mtok', 'input', 'token', 1000000), ('output_mtok', 'output', 'token', 1000000),
    ('cache_read_mtok', 'cache_read', 'token', 1000000), ('cache_write_mtok', 'cache_write', 'token', 1000000),
    ('cache_write_1h_mtok', 'cache_write_1h', 'token', 1000000), ('output_reasoning_mtok', 'reasoning', 'token', 1000000),
    ('input_image_mtok', 'image_in', 'token', 1000000), ('output_image_mtok', 'image_out', 'token', 1000000),
    ('input_audio_mtok', 'audio_in', 'token', 1000000), ('output_audio_mtok', 'audio_out', 'token', 1000000),
    ('output_video_mtok', 'video_out', 'token', 1000000), ('requests_kcount', 'request', 'request', 1),
    ('web_searches_kcount', 'search', 'request', 1)
), fields AS (
  SELECT provider, id, start_date, unnest(map_keys(listed)) AS name, unnest(map_values(listed)) AS field
  FROM (SELECT provider, id, start_date, prices::MAP(VARCHAR, JSON) AS listed FROM in_force)
), costs AS (
  SELECT provider, id, start_date, name, coalesce(field->>'base', field->>'$') AS cost, NULL::BIGINT AS context_min FROM fields
  UNION ALL
  SELECT provider, id, start_date, name, tier->>'price', TRY_CAST(tier->>'start' AS BIGINT)
  FROM (SELECT provider, id, start_date, name, unnest((field->'tiers')::JSON[]) AS tier FROM fields WHERE json_type(field) = 'OBJECT')
), amounts AS (
  SELECT provider, id, start_date, meter, unit, per, cost, context_min,
         -- Requests and searches are listed by the thousand.
         TRY_CAST(cost AS DOUBLE) / CASE unit WHEN 'token' THEN 1 ELSE 1000 END AS usd,
         CASE WHEN abs(usd) < (CASE unit WHEN 'token' THEN 0.0001 ELSE 0.0000001 END) THEN usd
              WHEN unit = 'token' THEN round(usd, 6) ELSE round(usd, 9) END AS price
  FROM costs JOIN meters USING (name)
  WHERE cost IS NOT NULL
), priced AS (
  SELECT provider, id, start_date,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (meter = 'input' AND context_min IS NULL) AS input,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (meter = 'output' AND context_min IS NULL) AS output,
         list({meter: meter, unit: unit, per: per, price: price,
               'when': CASE WHEN context_min IS NOT NULL THEN {context_min: context_min, applies: 'request'} END}) AS rates
  FROM amounts
  GROUP BY provider, id, start_date
)
SELECT id AS model_id, provider, input AS input_per_million, output AS output_per_million, 'USD' AS currency,
       start_date AS effective_from, rates
FROM priced
WHERE input IS NOT NULL OR output IS NOT NULL;
