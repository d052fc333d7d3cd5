-- LiteLLM's model_prices_and_context_window.json: an object of models by key. README.md beside this file has the rules and their
-- reasons.

-- models
-- One row per key.
WITH listed AS (
  SELECT unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('litellm.json'))
)
SELECT id,
       coalesce(nullif(regexp_extract(id, '[^/]*$'), ''), id) AS name,
       NULL AS organization, NULL AS release_date,
       CASE WHEN TRY_CAST(entry->>'max_input_tokens' AS DOUBLE) BETWEEN 1 AND 99999998
            THEN TRY_CAST(entry->>'max_input_tokens' AS DOUBLE)::BIGINT END AS context_length,
       [entry->>'litellm_provider'] AS inference
FROM listed
WHERE entry->>'mode' IN ('chat', 'completion', 'responses', 'embedding')
  AND id <> 'sample_spec' AND NOT starts_with(id, 'openrouter/openrouter/');

-- pricing
-- One row per key, under the provider that LiteLLM names. Theirs are dollars a token, ours dollars a million.
WITH listed AS (
  SELECT unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('litellm.json'))
), prices AS (
  SELECT id, entry->>'litellm_provider' AS provider,
         entry->>'input_cost_per_token' AS input, entry->>'output_cost_per_token' AS output,
         TRY_CAST(input AS DOUBLE) * 1e6 AS input_usd, TRY_CAST(output AS DOUBLE) * 1e6 AS output_usd,
         -- Something else is charged for: then nothing a token says nothing.
         len(list_filter(map_entries(entry::MAP(VARCHAR, JSON)),
                         lambda field: contains(field.key, 'cost') AND TRY_CAST(field.value AS DOUBLE) > 0)) > 0 AS costs
  FROM listed
  WHERE entry->>'mode' IN ('chat', 'completion', 'responses', 'embedding')
    AND id <> 'sample_spec' AND NOT starts_with(id, 'openrouter/openrouter/')
)
SELECT id AS model_id, provider,
       coalesce(CASE WHEN abs(input_usd) < 0.0001 THEN input_usd ELSE round(input_usd, 6) END::VARCHAR, input) AS input_per_million,
       coalesce(CASE WHEN abs(output_usd) < 0.0001 THEN output_usd ELSE round(output_usd, 6) END::VARCHAR, output) AS output_per_million,
       'USD' AS currency, NULL AS effective_from
FROM prices
WHERE (input IS NOT NULL OR output IS NOT NULL)
  AND NOT (costs AND coalesce(input_usd, 0) = 0 AND coalesce(output_usd, 0) = 0);
