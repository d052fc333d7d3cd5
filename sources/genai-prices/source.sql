-- genai-prices' data.json, first or second version: a list of providers, each with a list of its models. README.md beside this
-- file has the rules and their reasons.

-- models
-- One row per id, whoever lists it. Each field is the first that is known, in the order of the providers' ids.
WITH providers AS (
  SELECT id AS provider, unnest(models) AS entry
  FROM read_json('genai-prices.json', columns = {id: 'VARCHAR', models: 'JSON[]'}, maximum_object_size = 16777216)
), facts AS (
  SELECT entry->>'id' AS id, provider, nullif(trim(entry->>'name', E' \t\r\n'), '') AS name,
         TRY_CAST(entry->>'context_window' AS BIGINT) AS context
  FROM providers
)
SELECT id,
       coalesce(first(name ORDER BY provider) FILTER (WHERE name IS NOT NULL), id) AS name,
       NULL AS organization, NULL AS release_date,
       first(context ORDER BY provider) FILTER (WHERE context BETWEEN 1 AND 99999998) AS context_length,
       list(DISTINCT provider ORDER BY provider) AS inference
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
), amounts AS (
  SELECT provider, id, start_date,
         coalesce(prices->'input_mtok'->>'base', prices->>'input_mtok') AS input,
         coalesce(prices->'output_mtok'->>'base', prices->>'output_mtok') AS output,
         TRY_CAST(input AS DOUBLE) AS input_usd, TRY_CAST(output AS DOUBLE) AS output_usd
  FROM in_force
)
SELECT id AS model_id, provider,
       coalesce(CASE WHEN abs(input_usd) < 0.0001 THEN input_usd ELSE round(input_usd, 6) END::VARCHAR, input) AS input_per_million,
       coalesce(CASE WHEN abs(output_usd) < 0.0001 THEN output_usd ELSE round(output_usd, 6) END::VARCHAR, output) AS output_per_million,
       'USD' AS currency, start_date AS effective_from
FROM amounts
WHERE input IS NOT NULL OR output IS NOT NULL;
