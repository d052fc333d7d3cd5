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
), facts AS (
  SELECT entries.id, entries.provider, maker,
         nullif(trim(entry->>'name', E' \t\r\n'), '') AS name,
         CASE WHEN regexp_full_match(entry->>'release_date', '\d{4}-\d{2}-\d{2}')
              THEN TRY_CAST(entry->>'release_date' AS DATE) END AS release_date,
         TRY_CAST(entry->'limit'->>'context' AS BIGINT) AS context
  FROM entries
  LEFT JOIN makers ON makers.provider = entries.provider AND regexp_full_match(entries.id, pattern)
)
SELECT id,
       coalesce(first(name ORDER BY maker IS NULL, provider) FILTER (WHERE name IS NOT NULL), id) AS name,
       first(maker ORDER BY provider) FILTER (WHERE maker IS NOT NULL) AS organization,
       first(release_date ORDER BY maker IS NULL, provider) FILTER (WHERE release_date IS NOT NULL) AS release_date,
       first(context ORDER BY maker IS NULL, provider) FILTER (WHERE context BETWEEN 1 AND 99999998) AS context_length,
       list(provider ORDER BY provider) AS inference
FROM facts
GROUP BY id;

-- pricing
-- One row per model and provider, dollars per million tokens as upstream has them.
WITH providers AS (
  SELECT unnest(map_keys(listed)) AS provider, unnest(map_values(listed)) AS about
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('models-dev.json'))
), entries AS (
  SELECT provider, unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT provider, (about->'models')::MAP(VARCHAR, JSON) AS listed FROM providers)
), prices AS (
  SELECT id, provider, entry->'cost'->>'input' AS input, entry->'cost'->>'output' AS output,
         TRY_CAST(input AS DOUBLE) AS input_usd, TRY_CAST(output AS DOUBLE) AS output_usd
  FROM entries
)
SELECT id AS model_id, provider,
       coalesce(CASE WHEN abs(input_usd) < 0.0001 THEN input_usd ELSE round(input_usd, 6) END::VARCHAR, input) AS input_per_million,
       coalesce(CASE WHEN abs(output_usd) < 0.0001 THEN output_usd ELSE round(output_usd, 6) END::VARCHAR, output) AS output_per_million,
       'USD' AS currency, NULL AS effective_from
FROM prices
WHERE input IS NOT NULL OR output IS NOT NULL;
