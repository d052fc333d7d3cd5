-- OpenRouter's /api/v1/models: {"data": [model, …]}. README.md beside this file has the rules and their reasons.

-- models
-- One row per id; not of ids that begin with ~, which stand for whatever model is newest.
WITH listed AS (
  SELECT unnest((content::JSON->'data')::JSON[]) AS entry FROM read_text('openrouter.json')
), facts AS (
  SELECT entry->>'id' AS id, trim(entry->>'name', E' \t\r\n') AS name, TRY_CAST(entry->>'context_length' AS BIGINT) AS context,
         CASE WHEN contains(name, ': ') THEN split_part(name, ': ', 1) END AS maker, split_part(id, '/', 1) AS prefix,
         TRY_CAST(entry->'top_provider'->>'max_completion_tokens' AS DOUBLE) AS output, entry->>'knowledge_cutoff' AS cutoff,
         TRY_CAST(entry->'architecture'->'input_modalities' AS VARCHAR[]) AS takes,
         TRY_CAST(entry->'architecture'->'output_modalities' AS VARCHAR[]) AS gives,
         TRY_CAST(entry->'supported_parameters' AS VARCHAR[]) AS parameters
  FROM listed
), makers AS (
  -- The maker that names with this prefix tell, where they tell one.
  SELECT prefix, min(maker) AS maker FROM facts GROUP BY prefix HAVING count(DISTINCT maker) = 1
)
SELECT id,
       coalesce(nullif(CASE WHEN facts.maker IS NULL THEN name ELSE trim(substr(name, length(facts.maker) + 3)) END, ''), id) AS name,
       coalesce(facts.maker, makers.maker) AS organization, NULL AS release_date,
       CASE WHEN context BETWEEN 1 AND 99999998 THEN context END AS context_length,
       ['openrouter'] AS inference,
       CASE WHEN output BETWEEN 1 AND 9999999 THEN output::BIGINT END AS max_output_tokens,
       CASE WHEN regexp_full_match(cutoff, '[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?') THEN cutoff END AS knowledge_cutoff,
       CASE WHEN takes IS NOT NULL AND gives IS NOT NULL
            THEN {input: list_transform(takes, lambda kind: CASE kind WHEN 'file' THEN 'pdf' ELSE kind END),
                  output: list_transform(gives, lambda kind: CASE kind WHEN 'file' THEN 'pdf' ELSE kind END)} END AS modalities,
       CASE WHEN len(parameters) > 0
            THEN list_filter([CASE WHEN list_contains(parameters, 'tools') THEN 'tools' END,
                              CASE WHEN list_contains(parameters, 'structured_outputs') THEN 'structured_output' END,
                              CASE WHEN list_contains(parameters, 'reasoning') THEN 'reasoning' END,
                              CASE WHEN list_contains(parameters, 'web_search_options') THEN 'web_search' END,
                              CASE WHEN list_contains(takes, 'image') THEN 'vision' END,
                              CASE WHEN list_contains(takes, 'file') THEN 'pdf' END,
                              CASE WHEN list_contains(takes, 'audio') THEN 'audio_in' END,
                              CASE WHEN list_contains(gives, 'audio') THEN 'audio_out' END,
                              CASE WHEN list_contains(takes, 'video') THEN 'video_in' END], lambda name: name IS NOT NULL) END AS capabilities
FROM facts LEFT JOIN makers USING (prefix)
WHERE NOT starts_with(id, '~');

-- pricing
-- One row per model: what OpenRouter charges. Theirs are dollars a token as text, ours dollars a million; images, requests and searches
-- are priced one by one in both. A price below 0 means that it depends on the route: no price.
WITH listed AS (
  SELECT unnest((content::JSON->'data')::JSON[]) AS entry, generate_subscripts((content::JSON->'data')::JSON[], 1) AS place
  FROM read_text('openrouter.json')
), entries AS (
  SELECT place, entry->>'id' AS id, entry->'pricing' AS prices FROM listed WHERE NOT starts_with(entry->>'id', '~')
), cards AS (
  -- The base prices, and those of longer requests.
  SELECT place, id, prices, prices->>'prompt' AS prompt, NULL::BIGINT AS context_min, 0 AS card FROM entries
  UNION ALL
  SELECT place, id, prices, coalesce(prices->>'prompt', prompt), TRY_CAST(prices->>'min_prompt_tokens' AS BIGINT), card
  FROM (SELECT place, id, entries.prices->>'prompt' AS prompt, unnest((entries.prices->'overrides')::JSON[]) AS prices,
               generate_subscripts((entries.prices->'overrides')::JSON[], 1) AS card
        FROM entries)
), meters(name, meter, counted) AS (
  VALUES
    ('prompt', 'input', 'token'), ('completion', 'output', 'token'), ('input_cache_read', 'cache_read', 'token'),
    ('input_cache_write', 'cache_write', 'token'), ('input_cache_write_1h', 'cache_write_1h', 'token'),
    ('internal_reasoning', 'reasoning', 'token'), ('image', 'image_in', 'image'), ('image_output', 'image_out', 'token'),
    ('audio', 'audio_in', 'token'), ('audio_output', 'audio_out', 'token'), ('request', 'request', 'request'),
    ('web_search', 'search', 'request')
), costs AS (
  SELECT place, id, prompt, context_min, card, unnest(map_keys(fields)) AS name, unnest(map_values(fields)) AS field
  FROM (SELECT *, prices::MAP(VARCHAR, JSON) AS fields FROM cards)
  -- An entry with another condition, such as an hour, is not of this form.
  WHERE card = 0 OR (context_min > 0 AND len(list_filter(map_keys(fields), lambda key: starts_with(key, 'utc_'))) = 0)
), amounts AS (
  SELECT place, id, meter, field->>'$' AS cost, context_min, card,
         -- An image is charged by the image, or as the prompt's tokens are.
         CASE WHEN name = 'image' AND TRY_CAST(cost AS DOUBLE) = TRY_CAST(prompt AS DOUBLE) THEN 'token' ELSE counted END AS unit,
         CASE unit WHEN 'token' THEN 1000000 ELSE 1 END AS per,
         TRY_CAST(cost AS DOUBLE) * per AS usd,
         CASE WHEN abs(usd) < (CASE unit WHEN 'token' THEN 0.0001 ELSE 0.0000001 END) THEN usd
              WHEN unit = 'token' THEN round(usd, 6) ELSE round(usd, 9) END AS price
  FROM costs JOIN meters USING (name)
  WHERE cost IS NOT NULL AND (name IN ('prompt', 'completion') OR TRY_CAST(cost AS DOUBLE) > 0 OR TRY_CAST(cost AS DOUBLE) IS NULL)
  QUALIFY row_number() OVER (PARTITION BY place, meter, context_min ORDER BY card DESC) = 1
), priced AS (
  SELECT place, id,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (meter = 'input' AND card = 0) AS input,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (meter = 'output' AND card = 0) AS output,
         list({meter: meter, unit: unit, per: per, price: price,
               'when': CASE WHEN card > 0 THEN {context_min: context_min, applies: 'request'} END})
           FILTER (usd >= 0 OR usd IS NULL) AS rates
  FROM amounts
  GROUP BY place, id
)
SELECT id AS model_id, 'openrouter' AS provider, input AS input_per_million, output AS output_per_million,
       'USD' AS currency, NULL AS effective_from, rates
FROM priced
WHERE (input IS NOT NULL OR output IS NOT NULL)
  AND coalesce(TRY_CAST(input AS DOUBLE), 0) >= 0 AND coalesce(TRY_CAST(output AS DOUBLE), 0) >= 0;
