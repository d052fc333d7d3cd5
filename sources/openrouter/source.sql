-- OpenRouter's /api/v1/models: {"data": [model, …]}. README.md beside this file has the rules and their reasons.

-- models
-- One row per id; not of ids that begin with ~, which stand for whatever model is newest.
WITH listed AS (
  SELECT unnest((content::JSON->'data')::JSON[]) AS entry FROM read_text('openrouter.json')
), facts AS (
  SELECT entry->>'id' AS id, trim(entry->>'name', E' \t\r\n') AS name, TRY_CAST(entry->>'context_length' AS BIGINT) AS context,
         CASE WHEN contains(name, ': ') THEN split_part(name, ': ', 1) END AS maker, split_part(id, '/', 1) AS prefix
  FROM listed
), makers AS (
  -- The maker that names with this prefix tell, where they tell one.
  SELECT prefix, min(maker) AS maker FROM facts GROUP BY prefix HAVING count(DISTINCT maker) = 1
)
SELECT id,
       coalesce(nullif(CASE WHEN facts.maker IS NULL THEN name ELSE trim(substr(name, length(facts.maker) + 3)) END, ''), id) AS name,
       coalesce(facts.maker, makers.maker) AS organization, NULL AS release_date,
       CASE WHEN context BETWEEN 1 AND 99999998 THEN context END AS context_length,
       ['openrouter'] AS inference
FROM facts LEFT JOIN makers USING (prefix)
WHERE NOT starts_with(id, '~');

-- pricing
-- One row per model: what OpenRouter charges. Theirs are dollars a token as text, ours dollars a million. A price below 0 means
-- that it depends on the route: no price.
WITH listed AS (
  SELECT unnest((content::JSON->'data')::JSON[]) AS entry FROM read_text('openrouter.json')
), prices AS (
  SELECT entry->>'id' AS id, entry->'pricing'->>'prompt' AS input, entry->'pricing'->>'completion' AS output,
         TRY_CAST(input AS DOUBLE) * 1e6 AS input_usd, TRY_CAST(output AS DOUBLE) * 1e6 AS output_usd
  FROM listed
)
SELECT id AS model_id, 'openrouter' AS provider,
       coalesce(CASE WHEN abs(input_usd) < 0.0001 THEN input_usd ELSE round(input_usd, 6) END::VARCHAR, input) AS input_per_million,
       coalesce(CASE WHEN abs(output_usd) < 0.0001 THEN output_usd ELSE round(output_usd, 6) END::VARCHAR, output) AS output_per_million,
       'USD' AS currency, NULL AS effective_from
FROM prices
WHERE NOT starts_with(id, '~') AND (input IS NOT NULL OR output IS NOT NULL)
  AND coalesce(input_usd, 0) >= 0 AND coalesce(output_usd, 0) >= 0;
