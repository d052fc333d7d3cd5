-- models.dev's api.json: an object of providers, each with an object of its models. README.md beside this file has the rules
-- and their reasons.

-- models
-- One row per id. Of the providers that list it the maker comes first, then the others in the order of their ids; each field is
-- the first that is known.
WITH providers AS (
  SELECT unnest(map_keys(listed)) AS provider, unnest(map_values(listed)) AS about
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('models-dev.json'))
), entries AS (
  SELECT provider, unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT provider, (about->'models')::MAP(VARCHAR, JSON) AS listed FROM providers)
), makers(provider, pattern, maker) AS (
  -- The ids under a provider that are its own models: one pattern per provider.
  VALUES
    ('alibaba', '(qvq-|qwen|qwq-).*', 'Alibaba'), ('alibaba-cn', '(qvq-|qwen|qwq-).*', 'Alibaba'),
    ('amazon-bedrock', 'amazon\..*', 'Amazon'), ('anthropic', 'claude-.*', 'Anthropic'),
    ('cohere', '(c4ai|command)-.*', 'Cohere'), ('deepseek', 'deepseek-.*', 'DeepSeek'),
    ('google', '(gemini|gemma)-.*', 'Google'), ('inception', 'mercury.*', 'Inception'),
    ('minimax', 'MiniMax-.*', 'MiniMax'), ('minimax-cn', 'MiniMax-.*', 'MiniMax'),
    ('mistral', '.*tral.*', 'Mistral AI'), ('moonshotai', 'kimi-.*', 'Moonshot AI'),
    ('moonshotai-cn', 'kimi-.*', 'Moonshot AI'), ('morph', 'morph-.*', 'Morph'), ('nova', 'nova-.*', 'Amazon'),
    ('nvidia', 'nvidia/.*', 'NVIDIA'), ('openai', '.*', 'OpenAI'), ('perplexity', 'sonar.*', 'Perplexity'),
    ('stepfun', 'step-.*', 'StepFun'), ('tencent-tokenhub', 'hy.*', 'Tencent'), ('upstage', 'solar-.*', 'Upstage'),
    ('v0', 'v0-.*', 'Vercel'), ('xai', 'grok-.*', 'xAI'), ('xiaomi', 'mimo-.*', 'Xiaomi'), ('zai', 'glm-.*', 'Z.ai'),
    ('zhipuai', 'glm-.*', 'Z.ai')
), said AS (
  -- One extraction of all fields: each one reads the whole entry.
  SELECT listed.provider, listed.id, maker, said[1] AS name, said[2] AS released,
         said[3] AS context, said[4] AS output, said[5] AS knowledge,
         -- A maker's other provider that says nothing still serves the model.
         CASE WHEN maker IS NOT NULL AND count(said[6]) OVER (PARTITION BY listed.id, maker) = count(*) OVER (PARTITION BY listed.id, maker)
              THEN CASE said[6] WHEN 'alpha' THEN 'preview' WHEN 'beta' THEN 'preview' WHEN 'deprecated' THEN 'retired' END END AS status,
         CASE said[7] WHEN 'true' THEN true WHEN 'false' THEN false END AS open_weights,
         TRY_CAST(said[8]::JSON AS VARCHAR[]) AS takes, TRY_CAST(said[9]::JSON AS VARCHAR[]) AS gives,
         CASE WHEN coalesce(said[8], said[9], said[10], said[11], said[12]) IS NOT NULL
              THEN list_filter([
                CASE WHEN said[10] = 'true' THEN 'tools' END, CASE WHEN said[11] = 'true' THEN 'structured_output' END,
                CASE WHEN said[12] = 'true' THEN 'reasoning' END, CASE WHEN list_contains(takes, 'image') THEN 'vision' END,
                CASE WHEN list_contains(takes, 'pdf') THEN 'pdf' END, CASE WHEN list_contains(takes, 'audio') THEN 'audio_in' END,
                CASE WHEN list_contains(gives, 'audio') THEN 'audio_out' END, CASE WHEN list_contains(takes, 'video') THEN 'video_in' END
              ], lambda name: name IS NOT NULL) END AS capabilities
  FROM (SELECT provider, id, json_extract_string(entry, [
                 '$.name', '$.release_date', '$.limit.context', '$.limit.output', '$.knowledge', '$.status', '$.open_weights',
                 '$.modalities.input', '$.modalities.output', '$.tool_call', '$.structured_output', '$.reasoning'
               ]) AS said
        FROM entries) AS listed
  LEFT JOIN makers ON makers.provider = listed.provider AND regexp_full_match(listed.id, pattern)
), facts AS (
  SELECT id, provider, maker, nullif(trim(name, E' \t\r\n'), '') AS name,
         CASE WHEN regexp_full_match(released, '\d{4}-\d{2}-\d{2}') THEN TRY_CAST(released AS DATE) END AS release_date,
         TRY_CAST(context AS BIGINT) AS context, status, TRY_CAST(output AS BIGINT) AS output_limit,
         CASE WHEN regexp_full_match(knowledge, '\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?') THEN knowledge END AS knowledge,
         open_weights, CASE WHEN takes IS NOT NULL AND gives IS NOT NULL THEN {input: takes, output: gives} END AS modalities, capabilities
  FROM said
)
SELECT id,
       coalesce(first(name ORDER BY maker IS NULL, provider) FILTER (WHERE name IS NOT NULL), id) AS name,
       first(maker ORDER BY provider) FILTER (WHERE maker IS NOT NULL) AS organization,
       first(release_date ORDER BY maker IS NULL, provider) FILTER (WHERE release_date IS NOT NULL) AS release_date,
       first(context ORDER BY maker IS NULL, provider) FILTER (WHERE context BETWEEN 1 AND 99999998) AS context_length,
       list(provider ORDER BY provider) AS inference,
       first(status ORDER BY provider) FILTER (WHERE status IS NOT NULL) AS status,
       first(output_limit ORDER BY maker IS NULL, provider) FILTER (WHERE output_limit BETWEEN 1 AND 9999999) AS max_output_tokens,
       first(knowledge ORDER BY maker IS NULL, provider) FILTER (WHERE knowledge IS NOT NULL) AS knowledge_cutoff,
       first(open_weights ORDER BY maker IS NULL, provider) FILTER (WHERE open_weights IS NOT NULL) AS open_weights,
       first(modalities ORDER BY maker IS NULL, provider) FILTER (WHERE modalities IS NOT NULL) AS modalities,
       first(capabilities ORDER BY maker IS NULL, provider) FILTER (WHERE capabilities IS NOT NULL) AS capabilities
FROM facts
GROUP BY id;

-- pricing
-- One row per model and provider, dollars per million tokens as upstream has them. A card is a list of prices under one condition:
-- the base, a context, a mode.
WITH providers AS (
  SELECT unnest(map_keys(listed)) AS provider, unnest(map_values(listed)) AS about
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('models-dev.json'))
), entries AS (
  SELECT provider, unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT provider, (about->'models')::MAP(VARCHAR, JSON) AS listed FROM providers)
), costs AS (
  SELECT id, provider, entry->'cost' AS cost,
         list_filter(coalesce(TRY_CAST(cost->'tiers' AS JSON[]), []), lambda tier: json_extract_string(tier, '$.tier.type') = 'context') AS tiers,
         list_transform(map_entries(coalesce(TRY_CAST(entry->'experimental'->'modes' AS MAP(VARCHAR, JSON)), MAP {})),
                        lambda mode: {tier: coalesce(mode.value->'provider'->'body'->>'service_tier', mode.key),
                                      cost: mode.value->'cost'}) AS modes
  FROM entries
), cards AS (
  SELECT id, provider,
         [{tier: NULL::VARCHAR, context_min: NULL::BIGINT, cost: cost}]
         || list_transform(tiers, lambda tier: {tier: NULL, context_min: TRY_CAST(tier->'tier'->>'size' AS BIGINT), cost: tier})
         || CASE WHEN len(tiers) = 0 AND json_exists(cost, 'context_over_200k')
                 THEN [{tier: NULL, context_min: 200000, cost: cost->'context_over_200k'}] ELSE [] END
         || list_transform(
              list_filter(modes, lambda mode, place: mode.tier IN ('batch', 'flex', 'priority', 'fast')
                                                     AND list_position(list_transform(modes, lambda other: other.tier), mode.tier) = place),
              lambda mode: {tier: mode.tier, context_min: NULL, cost: mode.cost}) AS cards
  FROM costs
), listed AS (
  SELECT id, provider,
         list_transform(cards, lambda card: {
           "when": CASE WHEN card.tier IS NOT NULL OR card.context_min IS NOT NULL
                        THEN {tier: card.tier, context_min: card.context_min, applies: CASE WHEN card.context_min > 0 THEN 'request' END} END,
           amounts: json_extract_string(card.cost, ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'input_audio', 'output_audio'])
         }) AS cards
  FROM cards
), prices AS (
  SELECT id, provider, cards[1].amounts[1] AS input, cards[1].amounts[2] AS output,
         TRY_CAST(input AS DOUBLE) AS input_usd, TRY_CAST(output AS DOUBLE) AS output_usd,
         flatten(list_transform(cards, lambda card: list_filter(list_transform(
           ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'audio_in', 'audio_out'],
           lambda meter, place: {
             meter: meter, unit: 'token', per: 1000000, amount: card.amounts[place],
             price: CASE WHEN abs(TRY_CAST(card.amounts[place] AS DOUBLE)) < 0.0001 THEN TRY_CAST(card.amounts[place] AS DOUBLE)
                         ELSE round(TRY_CAST(card.amounts[place] AS DOUBLE), 6) END,
             "when": card."when"
           }), lambda rate: rate.amount IS NOT NULL))) AS rates
  FROM listed
)
SELECT id AS model_id, provider,
       coalesce(CASE WHEN abs(input_usd) < 0.0001 THEN input_usd ELSE round(input_usd, 6) END::VARCHAR, input) AS input_per_million,
       coalesce(CASE WHEN abs(output_usd) < 0.0001 THEN output_usd ELSE round(output_usd, 6) END::VARCHAR, output) AS output_per_million,
       'USD' AS currency, NULL AS effective_from,
       list_transform(rates, lambda rate: {meter: rate.meter, unit: rate.unit, per: rate.per, price: rate.price, "when": rate."when"}) AS rates
FROM prices
WHERE len(rates) > 0;
