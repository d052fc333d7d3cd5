-- Artificial Analysis' data/llms/models: {"status", "prompt_options", "data": [model, …]}. README.md beside this file has the
-- rules and their reasons.

-- models
-- One row per slug: a model in one configuration.
WITH listed AS (
  SELECT unnest(data) AS entry
  FROM read_json('artificial-analysis.json', columns = {data: 'JSON[]'}, maximum_object_size = 16777216)
  WHERE CASE WHEN data IS NOT NULL THEN true ELSE error('artificial-analysis.json has no data') END
)
SELECT entry->>'slug' AS id,
       coalesce(nullif(trim(entry->>'name', E' \t\r\n'), ''), entry->>'slug') AS name,
       nullif(trim(entry->'model_creator'->>'name', E' \t\r\n'), '') AS organization,
       CASE WHEN regexp_full_match(entry->>'release_date', '\d{4}-\d{2}-\d{2}')
            THEN TRY_CAST(entry->>'release_date' AS DATE) END AS release_date,
       NULL AS context_length, NULL AS inference
FROM listed;

-- benchmarks
-- One row per evaluation that any model has a result of.
WITH listed AS (
  SELECT unnest(data) AS entry
  FROM read_json('artificial-analysis.json', columns = {data: 'JSON[]'}, maximum_object_size = 16777216)
), names(evaluation, name, category) AS (
  VALUES
    ('artificial_analysis_intelligence_index', 'Artificial Analysis Intelligence Index', 'index'),
    ('artificial_analysis_coding_index', 'Artificial Analysis Coding Index', 'index'),
    ('artificial_analysis_math_index', 'Artificial Analysis Math Index', 'index'),
    ('aime', 'AIME', 'mathematics'), ('aime_25', 'AIME 2025', 'mathematics'), ('gpqa', 'GPQA Diamond', 'science'),
    ('hle', 'Humanity''s Last Exam', 'knowledge'), ('ifbench', 'IFBench', 'instruction following'),
    ('lcr', 'AA-LCR (long context reasoning)', 'long context'), ('livecodebench', 'LiveCodeBench', 'coding'),
    ('math_500', 'MATH-500', 'mathematics'), ('mmlu_pro', 'MMLU-Pro', 'knowledge'), ('scicode', 'SciCode', 'coding'),
    ('tau2', 'τ²-Bench', 'agents'), ('terminalbench_hard', 'Terminal-Bench Hard', 'agents')
), results AS (
  SELECT unnest(map_keys(results)) AS evaluation, unnest(map_values(results)) AS result
  FROM (SELECT (entry->'evaluations')::MAP(VARCHAR, JSON) AS results FROM listed)
)
SELECT DISTINCT 'artificial-analysis/' || evaluation AS id,
       coalesce(name, replace(evaluation, '_', ' ')) AS name, category, NULL AS model_count
FROM results LEFT JOIN names USING (evaluation)
WHERE json_type(result) <> 'NULL';

-- scores
-- One row per model and evaluation; null means that it was not run.
WITH listed AS (
  SELECT unnest(data) AS entry
  FROM read_json('artificial-analysis.json', columns = {data: 'JSON[]'}, maximum_object_size = 16777216)
), results AS (
  SELECT id, unnest(map_keys(results)) AS evaluation, unnest(map_values(results)) AS result
  FROM (SELECT entry->>'slug' AS id, (entry->'evaluations')::MAP(VARCHAR, JSON) AS results FROM listed)
)
SELECT id AS model_id, 'artificial-analysis/' || evaluation AS benchmark_id,
       coalesce(round(TRY_CAST(result AS DOUBLE), 6)::VARCHAR, result->>'$') AS value,
       'artificial-analysis' AS source, NULL AS measured_at, NULL AS n, 'evaluator' AS reported_by
FROM results
WHERE json_type(result) <> 'NULL';

-- pricing
-- One row per model with a price. All zero means that no price is known.
WITH listed AS (
  SELECT unnest(data) AS entry
  FROM read_json('artificial-analysis.json', columns = {data: 'JSON[]'}, maximum_object_size = 16777216)
), prices AS (
  SELECT entry->>'slug' AS id,
         entry->'pricing'->>'price_1m_input_tokens' AS input, entry->'pricing'->>'price_1m_output_tokens' AS output,
         TRY_CAST(input AS DOUBLE) AS input_usd, TRY_CAST(output AS DOUBLE) AS output_usd,
         coalesce(CASE WHEN abs(input_usd) < 0.0001 THEN input_usd ELSE round(input_usd, 6) END::VARCHAR, input) AS input_per_million,
         coalesce(CASE WHEN abs(output_usd) < 0.0001 THEN output_usd ELSE round(output_usd, 6) END::VARCHAR, output) AS output_per_million
  FROM listed
)
SELECT id AS model_id, 'artificial-analysis' AS provider, input_per_million, output_per_million, 'USD' AS currency,
       NULL AS effective_from,
       list_filter([{meter: 'input', unit: 'token', per: 1000000, price: TRY_CAST(input_per_million AS DOUBLE)},
                    {meter: 'output', unit: 'token', per: 1000000, price: TRY_CAST(output_per_million AS DOUBLE)}],
                   lambda rate: rate.price IS NOT NULL) AS rates
FROM prices
WHERE coalesce(TRY_CAST(coalesce(input, '0') AS DOUBLE), 1) <> 0 OR coalesce(TRY_CAST(coalesce(output, '0') AS DOUBLE), 1) <> 0;
