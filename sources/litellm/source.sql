-- LiteLLM's model_prices_and_context_window.json: an object of models by key. README.md beside this file has the rules and their
-- reasons.

-- models
-- One row per key.
WITH listed AS (
  SELECT unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('litellm.json'))
), facts AS (
  SELECT id, entry->>'litellm_provider' AS provider, TRY_CAST(entry->>'max_input_tokens' AS DOUBLE) AS context,
         TRY_CAST(entry->>'max_output_tokens' AS DOUBLE) AS output, TRY_CAST(entry->>'deprecation_date' AS DATE) AS shutdown,
         TRY_CAST(entry->'supported_modalities' AS VARCHAR[]) AS takes,
         TRY_CAST(entry->'supported_output_modalities' AS VARCHAR[]) AS gives,
         -- Each is true, false or null: nothing is said.
         entry->>['supports_function_calling', 'supports_response_schema', 'supports_native_structured_output', 'supports_reasoning',
                  'supports_vision', 'supports_pdf_input', 'supports_audio_input', 'supports_audio_output', 'supports_video_input',
                  'supports_web_search', 'supports_prompt_caching', 'supports_computer_use'] AS said,
         ['tools', 'structured_output', 'structured_output', 'reasoning', 'vision', 'pdf', 'audio_in', 'audio_out', 'video_in',
          'web_search', 'prompt_caching', 'computer_use'] AS abilities
  FROM listed
  WHERE entry->>'mode' IN ('chat', 'completion', 'responses', 'embedding')
    AND id <> 'sample_spec' AND NOT starts_with(id, 'openrouter/openrouter/')
)
SELECT id,
       coalesce(nullif(regexp_extract(id, '[^/]*$'), ''), id) AS name,
       NULL AS organization, NULL AS release_date,
       CASE WHEN context BETWEEN 1 AND 99999998 THEN context::BIGINT END AS context_length,
       [provider] AS inference,
       -- A maker's own offers.
       CASE WHEN regexp_matches(provider || ' ' || id, '^(anthropic claude-|gemini |moonshot |openai |perplexity .*sonar|xai |'
                                                       || 'vertex_ai-(chat|embedding|language|vision)-models )')
            THEN shutdown END AS retires_on,
       CASE WHEN output BETWEEN 1 AND 9999999 THEN output::BIGINT END AS max_output_tokens,
       CASE WHEN takes IS NOT NULL AND gives IS NOT NULL THEN {input: takes, output: gives} END AS modalities,
       CASE WHEN list_has_any(said, ['true', 'false'])
            THEN list_filter(abilities, lambda ability, place: said[place] = 'true') END AS capabilities
FROM facts;

-- pricing
-- One row per key, under the provider that LiteLLM names. Theirs are dollars a token, ours dollars a million; images, seconds, requests
-- and searches are priced one by one in both.
WITH listed AS (
  SELECT unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('litellm.json'))
), entries AS (
  SELECT id, entry->>'litellm_provider' AS provider, entry::MAP(VARCHAR, JSON) AS fields
  FROM listed
  WHERE entry->>'mode' IN ('chat', 'completion', 'responses', 'embedding')
    AND id <> 'sample_spec' AND NOT starts_with(id, 'openrouter/openrouter/')
), fields AS (
  SELECT id, provider, unnest(list_filter(map_entries(fields), lambda field: regexp_matches(field.key, 'cost|tiered_pricing'))) AS field
  FROM entries
), bands AS (
  -- Rate cards by the request's input tokens.
  SELECT id, provider, unnest((field.value)::JSON[]) AS band FROM fields WHERE field.key = 'tiered_pricing'
), costs AS (
  SELECT id, provider, field.key AS name,
         CASE field.key WHEN 'search_context_cost_per_query' THEN field.value->>'search_context_size_medium' ELSE field.value->>'$' END AS cost,
         NULL::BIGINT AS start, field.key <> 'search_context_cost_per_query' AND TRY_CAST(field.value AS DOUBLE) > 0 AS is_charged
  FROM fields
  WHERE field.key <> 'tiered_pricing'
  UNION ALL
  SELECT id, provider, card.key, card.value->>'$', start, false
  FROM (SELECT id, provider, TRY_CAST(band->'range'->>0 AS DOUBLE)::BIGINT AS start, unnest(map_entries(band::MAP(VARCHAR, JSON))) AS card
        FROM bands WHERE json_type(band->'range') = 'ARRAY')
), parts AS (
  SELECT id, provider, name, cost, start, is_charged,
         regexp_extract(name, '^(.+?)(?:_above_(\d+)k_tokens)?(?:_(flex|priority|batch)(?:es|_requests)?)?$', ['base', 'above', 'tier']) AS part
  FROM costs
), meters(base, meter, unit, place) AS (
  VALUES
    ('input_cost_per_token', 'input', 'token', 1), ('output_cost_per_token', 'output', 'token', 1),
    ('cache_read_input_token_cost', 'cache_read', 'token', 1), ('input_cost_per_token_cache_hit', 'cache_read', 'token', 2),
    ('cache_creation_input_token_cost', 'cache_write', 'token', 1),
    ('cache_creation_input_token_cost_above_1hr', 'cache_write_1h', 'token', 1),
    ('output_cost_per_reasoning_token', 'reasoning', 'token', 1),
    ('input_cost_per_image_token', 'image_in', 'token', 1), ('output_cost_per_image_token', 'image_out', 'token', 1),
    ('input_cost_per_image', 'image_in', 'image', 1), ('output_cost_per_image', 'image_out', 'image', 1),
    ('input_cost_per_audio_token', 'audio_in', 'token', 1), ('output_cost_per_audio_token', 'audio_out', 'token', 1),
    ('input_cost_per_audio_per_second', 'audio_in', 'second', 1),
    ('input_cost_per_request', 'request', 'request', 1), ('search_context_cost_per_query', 'search', 'request', 1)
), amounts AS (
  SELECT id, provider, meter, unit, cost, is_charged, CASE unit WHEN 'token' THEN 1000000 ELSE 1 END AS per,
         nullif(part.tier, '') AS tier,
         coalesce(nullif(start, 0), TRY_CAST(part.above AS BIGINT) * 1000) AS context_min,
         TRY_CAST(cost AS DOUBLE) * per AS usd,
         CASE WHEN abs(usd) < (CASE unit WHEN 'token' THEN 0.0001 ELSE 0.0000001 END) THEN usd
              WHEN unit = 'token' THEN round(usd, 6) ELSE round(usd, 9) END AS price,
         row_number() OVER (PARTITION BY id, meter, unit, tier, context_min ORDER BY cost IS NULL, start IS NULL, place, name) AS turn
  FROM parts LEFT JOIN meters ON base = part.base
), priced AS (
  SELECT id, provider,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (is_known AND meter = 'input' AND is_plain) AS input,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (is_known AND meter = 'output' AND is_plain) AS output,
         list({meter: meter, unit: unit, per: per, price: price,
               'when': CASE WHEN NOT is_plain THEN {tier: tier, context_min: context_min,
                                                    applies: CASE WHEN context_min > 0 THEN 'request' END} END})
           FILTER (is_known) AS rates,
         coalesce(bool_or(is_charged), false) AS costs
  FROM (SELECT *, meter IS NOT NULL AND cost IS NOT NULL AND turn = 1 AS is_known, tier IS NULL AND context_min IS NULL AS is_plain
        FROM amounts)
  GROUP BY id, provider
)
SELECT id AS model_id, provider, input AS input_per_million, output AS output_per_million, 'USD' AS currency, NULL AS effective_from, rates
FROM priced
WHERE (input IS NOT NULL OR output IS NOT NULL)
  -- Something else is charged for: then nothing a token says nothing.
  AND NOT (costs AND coalesce(TRY_CAST(input AS DOUBLE), 0) = 0 AND coalesce(TRY_CAST(output AS DOUBLE), 0) = 0);
