-- The recipes of models.dev, OpenRouter, LiteLLM, genai-prices, LMArena, Epoch and LiveBench, joined: aliases.csv says which names
-- are one model. README.md beside this file has the rules and their reasons; those of each upstream are in its own recipe. The
-- column upstream says whose a row is.

-- models
-- One row per model. Of what is reported under its names each field is the first that is known (arg_min leaves out nulls): by
-- models.dev (the maker first, then the other providers in the order of their ids), OpenRouter, Epoch, genai-prices, LiteLLM,
-- LMArena, LiveBench.
WITH aliases AS (
  SELECT upstream, id, model_id FROM read_csv('aliases.csv', header = true, delim = ',', all_varchar = true)
), models_dev_providers AS (
  SELECT unnest(map_keys(listed)) AS provider, unnest(map_values(listed)) AS about
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('models-dev.json'))
), models_dev AS (
  SELECT provider, unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT provider, (about->'models')::MAP(VARCHAR, JSON) AS listed FROM models_dev_providers)
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
), openrouter AS (
  SELECT entry->>'id' AS id, entry
  FROM (SELECT unnest((content::JSON->'data')::JSON[]) AS entry FROM read_text('openrouter.json'))
), genai_prices AS (
  SELECT provider, entry->>'id' AS id, entry, day
  FROM (SELECT id AS provider, unnest(models) AS entry,
               coalesce(TRY_CAST(regexp_extract(filename, '(\d{4}-\d{2}-\d{2})[/\\][^/\\]*$', 1) AS DATE), current_date) AS day
        FROM read_json('genai-prices.json', columns = {id: 'VARCHAR', models: 'JSON[]'}, maximum_object_size = 16777216,
                       filename = true))
  WHERE provider <> 'openrouter' OR contains(entry->>'id', '/')
), litellm AS (
  SELECT unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('litellm.json'))
), epoch_rows AS (
  SELECT regexp_extract(filename, '([^/\\]+)\.csv$', 1) AS file, trim("Model version", E' \t\r\n') AS model,
         nullif(trim("Display name", E' \t\r\n'), '') AS name, nullif(trim("Organization", E' \t\r\n'), '') AS organization,
         CASE WHEN regexp_full_match("Release date", '\d{4}-\d{2}-\d{2}') THEN TRY_CAST("Release date" AS DATE) END AS released,
         CASE WHEN file = 'epoch_capabilities_index'
              THEN nullif(trim(to_json(cells)->>'$."Model accessibility"', E' \t\r\n'), '') END AS accessibility
  FROM read_csv('epoch/*.csv', union_by_name = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"',
                filename = true, buffer_size = 2097152) AS cells
), epoch_ranked AS (
  SELECT *, row_number() OVER (PARTITION BY model ORDER BY file <> 'epoch_capabilities_index', file, organization, released) AS place
  FROM epoch_rows
  WHERE model <> ''
), epoch AS (
  SELECT model AS id, coalesce(arg_min(name, place), model) AS name, arg_min(organization, place) AS organization,
         arg_min(released, place) AS release_date, starts_with(arg_min(accessibility, place), 'Open weights') AS open_weights
  FROM epoch_ranked
  GROUP BY model
), lmarena AS (
  SELECT model_name AS id, min(nullif(trim(organization), '')) AS organization
  FROM read_parquet([
    'lmarena/document.parquet', 'lmarena/image_edit.parquet', 'lmarena/image_to_video.parquet', 'lmarena/search.parquet',
    'lmarena/text.parquet', 'lmarena/text_style_control.parquet', 'lmarena/text_to_image.parquet',
    'lmarena/text_to_video.parquet', 'lmarena/video_edit.parquet', 'lmarena/vision.parquet', 'lmarena/webdev.parquet'
  ], union_by_name = true, filename = true)
  GROUP BY model_name
), livebench AS (
  SELECT DISTINCT string_split(rtrim(line, E'\r'), ',')[1] AS id
  FROM read_csv('livebench/table.csv', header = false, delim = '\n', quote = '', escape = '', columns = {line: 'VARCHAR'})
  WHERE trim(line) <> '' AND NOT starts_with(line, 'model,')
), openrouter_names AS (
  SELECT id, trim(entry->>'name', E' \t\r\n') AS name, entry->>'context_length' AS context, split_part(id, '/', 1) AS prefix,
         CASE WHEN contains(name, ': ') THEN split_part(name, ': ', 1) END AS maker,
         entry->'top_provider'->>'max_completion_tokens' AS output, entry->>'knowledge_cutoff' AS cutoff,
         TRY_CAST(entry->'architecture'->'input_modalities' AS VARCHAR[]) AS takes,
         TRY_CAST(entry->'architecture'->'output_modalities' AS VARCHAR[]) AS gives,
         TRY_CAST(entry->'supported_parameters' AS VARCHAR[]) AS parameters
  FROM openrouter
), openrouter_makers AS (
  SELECT prefix, min(maker) AS maker FROM openrouter_names GROUP BY prefix HAVING count(DISTINCT maker) = 1
), models_dev_facts AS (
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
        FROM models_dev) AS listed
  LEFT JOIN makers ON makers.provider = listed.provider AND regexp_full_match(listed.id, pattern)
), litellm_facts AS (
  -- One extraction of all fields: each one reads the whole entry.
  SELECT id, said[1] AS provider, said[2] AS context, said[3] AS output, TRY_CAST(said[4] AS DATE) AS shutdown,
         TRY_CAST(said[5]::JSON AS VARCHAR[]) AS takes, TRY_CAST(said[6]::JSON AS VARCHAR[]) AS gives,
         -- Each is true, false or null: nothing is said.
         said[7:18] AS said,
         ['tools', 'structured_output', 'structured_output', 'reasoning', 'vision', 'pdf', 'audio_in', 'audio_out', 'video_in',
          'web_search', 'prompt_caching', 'computer_use'] AS abilities
  FROM (SELECT id, json_extract_string(entry, [
                 'litellm_provider', 'max_input_tokens', 'max_output_tokens', 'deprecation_date', 'supported_modalities',
                 'supported_output_modalities', 'supports_function_calling', 'supports_response_schema', 'supports_native_structured_output',
                 'supports_reasoning', 'supports_vision', 'supports_pdf_input', 'supports_audio_input', 'supports_audio_output',
                 'supports_video_input', 'supports_web_search', 'supports_prompt_caching', 'supports_computer_use', 'mode'
               ]) AS said
        FROM litellm
        WHERE id <> 'sample_spec' AND NOT starts_with(id, 'openrouter/openrouter/'))
  WHERE said[19] IN ('chat', 'completion', 'responses', 'embedding')
), facts AS (
  -- One row per upstream, name and provider: what it tells, in which order it is believed, and whose name it is.
  SELECT 1 AS step, 'models-dev' AS reporter, maker IS NULL AS is_other, provider AS place, 'models-dev' AS upstream, id,
         name, maker AS organization,
         CASE WHEN regexp_full_match(released, '\d{4}-\d{2}-\d{2}') THEN TRY_CAST(released AS DATE) END AS release_date,
         context, provider AS serves, status, NULL::DATE AS retires_on, output, knowledge, open_weights, takes, gives, capabilities
  FROM models_dev_facts
  UNION ALL
  SELECT 2, 'openrouter', false, '', 'models-dev', id,
         CASE WHEN openrouter_names.maker IS NULL THEN name ELSE substr(name, length(openrouter_names.maker) + 3) END,
         coalesce(openrouter_names.maker, openrouter_makers.maker), NULL, context, 'openrouter', NULL, NULL, output, cutoff, NULL,
         list_transform(takes, lambda kind: CASE kind WHEN 'file' THEN 'pdf' ELSE kind END),
         list_transform(gives, lambda kind: CASE kind WHEN 'file' THEN 'pdf' ELSE kind END),
         CASE WHEN len(parameters) > 0
              THEN list_filter([CASE WHEN list_contains(parameters, 'tools') THEN 'tools' END,
                                CASE WHEN list_contains(parameters, 'structured_outputs') THEN 'structured_output' END,
                                CASE WHEN list_contains(parameters, 'reasoning') THEN 'reasoning' END,
                                CASE WHEN list_contains(parameters, 'web_search_options') THEN 'web_search' END,
                                CASE WHEN list_contains(takes, 'image') THEN 'vision' END,
                                CASE WHEN list_contains(takes, 'file') THEN 'pdf' END,
                                CASE WHEN list_contains(takes, 'audio') THEN 'audio_in' END,
                                CASE WHEN list_contains(gives, 'audio') THEN 'audio_out' END,
                                CASE WHEN list_contains(takes, 'video') THEN 'video_in' END], lambda name: name IS NOT NULL) END
  FROM openrouter_names LEFT JOIN openrouter_makers USING (prefix)
  WHERE NOT starts_with(id, '~')
  UNION ALL
  SELECT 3, 'epoch', false, '', 'epoch', id, name, organization, release_date, NULL, NULL, NULL, NULL, NULL, NULL, open_weights, NULL,
         NULL, NULL
  FROM epoch
  UNION ALL
  SELECT 4, 'genai-prices', false, provider, CASE provider WHEN 'openrouter' THEN 'models-dev' ELSE 'genai-prices' END, id,
         entry->>'name', NULL, NULL, entry->>'context_window', provider,
         -- Of a maker's own offer.
         CASE WHEN entry->>'deprecated' = 'true' AND (provider IN ('anthropic', 'cohere', 'deepseek', 'minimax', 'mistral', 'moonshotai', 'openai',
                                                         'perplexity', 'voyageai', 'x-ai', 'zhipuai')
                                            OR provider = 'google' AND starts_with(id, 'gem')) THEN 'deprecated' END,
         NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM genai_prices
  UNION ALL
  SELECT 5, 'litellm', false, '', CASE WHEN id SIMILAR TO 'openrouter/.+/.+' THEN 'models-dev' ELSE 'litellm' END,
         CASE WHEN id SIMILAR TO 'openrouter/.+/.+' THEN substr(id, 12) ELSE id END,
         regexp_extract(id, '[^/]*$'), NULL, NULL, context, provider, NULL,
         -- A maker's own offers.
         CASE WHEN regexp_matches(provider || ' ' || id, '^(anthropic claude-|gemini |moonshot |openai |perplexity .*sonar|xai |'
                                                         || 'vertex_ai-(chat|embedding|language|vision)-models )')
              THEN shutdown END,
         output, NULL, NULL, takes, gives,
         CASE WHEN list_has_any(said, ['true', 'false'])
              THEN list_filter(abilities, lambda ability, place: said[place] = 'true') END
  FROM litellm_facts
  UNION ALL
  SELECT 6, 'lmarena', false, '', 'lmarena', id, id, organization, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM lmarena
  UNION ALL
  SELECT 7, 'livebench', false, '', 'livebench', id, id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM livebench
), known AS (
  SELECT step, reporter, is_other, place, facts.id, nullif(trim(name, E' \t\r\n'), '') AS name, organization, release_date,
         TRY_CAST(context AS DOUBLE) AS context, serves, status, retires_on, TRY_CAST(output AS DOUBLE) AS output,
         CASE WHEN regexp_full_match(knowledge, '\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?') THEN knowledge END AS knowledge,
         open_weights, CASE WHEN takes IS NOT NULL AND gives IS NOT NULL THEN to_json({input: takes, output: gives}) END AS modalities,
         CASE WHEN capabilities IS NOT NULL THEN to_json(capabilities) END AS capabilities,
         coalesce(model_id, CASE upstream WHEN 'models-dev' THEN facts.id ELSE upstream || ':' || facts.id END) AS model_id
  FROM facts LEFT JOIN aliases USING (upstream, id)
), ranked AS (
  SELECT *, row_number() OVER (PARTITION BY model_id ORDER BY step, is_other, id <> model_id, place, id) AS place_of_all
  FROM known
)
SELECT model_id AS id,
       coalesce(arg_min(name, place_of_all), arg_min(ranked.id, place_of_all)) AS name,
       arg_min(organization, place_of_all) AS organization, arg_min(release_date, place_of_all) AS release_date,
       arg_min(CASE WHEN context BETWEEN 1 AND 99999998 THEN context END, place_of_all)::BIGINT AS context_length,
       list(DISTINCT serves ORDER BY serves) FILTER (WHERE serves IS NOT NULL) AS inference,
       arg_min(reporter, place_of_all) AS upstream,
       arg_min(status, place_of_all) AS status, arg_min(retires_on, place_of_all) AS retires_on,
       arg_min(CASE WHEN output BETWEEN 1 AND 9999999 THEN output END, place_of_all)::BIGINT AS max_output_tokens,
       arg_min(knowledge, place_of_all) AS knowledge_cutoff, arg_min(open_weights, place_of_all) AS open_weights,
       arg_min(modalities, place_of_all) AS modalities, arg_min(capabilities, place_of_all) AS capabilities
FROM ranked
GROUP BY model_id;

-- benchmarks
-- One row per benchmark of Epoch and of LiveBench.
WITH epoch_known(file, name, category) AS (
  VALUES
    ('adversarial_nli_external', 'Adversarial NLI', 'language'),
    ('aider_polyglot_external', 'Aider polyglot', 'coding'),
    ('apex_agents_external', 'APEX-Agents', 'agents'),
    ('arc_agi_2_external', 'ARC-AGI-2', 'reasoning'),
    ('arc_agi_external', 'ARC-AGI-1', 'reasoning'),
    ('arc_ai2_external', 'ARC (AI2) Challenge', 'science'),
    ('balrog_external', 'BALROG', 'agents'),
    ('bbh_external', 'BIG-Bench Hard', 'reasoning'),
    ('bool_q_external', 'BoolQ', 'language'),
    ('cad_eval_external', 'CadEval', 'coding'),
    ('chess_puzzles', 'Chess puzzles', 'reasoning'),
    ('common_sense_qa_2_external', 'CommonsenseQA 2.0', 'reasoning'),
    ('cybench_external', 'Cybench', 'agents'),
    ('deepresearchbench_external', 'DeepResearch Bench', 'agents'),
    ('epoch_capabilities_index', 'Epoch Capabilities Index', 'index'),
    ('fictionlivebench_external', 'Fiction.liveBench (120k tokens)', 'long context'),
    ('frontiermath', 'FrontierMath (tiers 1 to 3)', 'mathematics'),
    ('frontiermath_tier_4', 'FrontierMath (tier 4)', 'mathematics'),
    ('geobench_external', 'GeoBench (A Community World)', 'vision'),
    ('gpqa_diamond', 'GPQA Diamond', 'science'),
    ('gsm8k_external', 'GSM8K', 'mathematics'),
    ('gso_external', 'GSO', 'coding'),
    ('hella_swag_external', 'HellaSwag', 'reasoning'),
    ('hle_external', 'Humanity''s Last Exam', 'knowledge'),
    ('lambada_external', 'LAMBADA', 'language'),
    ('lech_mazur_writing_external', 'Lech Mazur writing', 'language'),
    ('live_bench_external', 'LiveBench (as Epoch collects it)', 'overall'),
    ('math_level_5', 'MATH level 5', 'mathematics'),
    ('metr_time_horizons_external', 'METR time horizons (minutes)', 'agents'),
    ('mmlu_external', 'MMLU', 'knowledge'),
    ('open_book_qa_external', 'OpenBookQA', 'science'),
    ('os_world_external', 'OSWorld', 'agents'),
    ('otis_mock_aime_2024_2025', 'OTIS mock AIME 2024-2025', 'mathematics'),
    ('piqa_external', 'PIQA', 'reasoning'),
    ('science_qa_external', 'ScienceQA', 'science'),
    ('simplebench_external', 'SimpleBench', 'reasoning'),
    ('simpleqa_verified', 'SimpleQA Verified', 'knowledge'),
    ('superglue_external', 'SuperGLUE', 'language'),
    ('swe_bench_bash', 'SWE-bench Verified (bash only)', 'coding'),
    ('swe_bench_verified', 'SWE-bench Verified', 'coding'),
    ('terminalbench_external', 'Terminal-Bench', 'agents'),
    ('the_agent_company_external', 'TheAgentCompany', 'agents'),
    ('trivia_qa_external', 'TriviaQA', 'knowledge'),
    ('video_mme_external', 'Video-MME (no subtitles)', 'vision'),
    ('vpct_external', 'VPCT', 'vision'),
    ('webdev_arena_external', 'WebDev Arena', 'coding'),
    ('weirdml_external', 'WeirdML', 'coding'),
    ('wino_grande_external', 'WinoGrande', 'reasoning')
)
SELECT 'epoch/' || replace(file, '_external', '') AS id, name, category, NULL AS model_count, 'epoch' AS upstream
FROM epoch_known
WHERE file IN (SELECT DISTINCT regexp_extract(filename, '([^/\\]+)\.csv$', 1)
               FROM read_csv('epoch/*.csv', union_by_name = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"',
                filename = true, buffer_size = 2097152))
UNION ALL
SELECT 'livebench/' || lower(replace(category, ' ', '-')) AS id, 'LiveBench: ' || category AS name, lower(category) AS category,
       NULL AS model_count, 'livebench' AS upstream
FROM (SELECT unnest(map_keys(json::MAP(VARCHAR, JSON))) AS category
      FROM read_json_objects('livebench/categories.json', format = 'unstructured'))
UNION ALL
SELECT 'livebench/overall', 'LiveBench', 'overall', NULL, 'livebench'
FROM read_json_objects('livebench/categories.json', format = 'unstructured');

-- scores
-- One row per model and benchmark, as the recipes of Epoch and LiveBench have them.
WITH aliases AS (
  SELECT upstream, id, model_id FROM read_csv('aliases.csv', header = true, delim = ',', all_varchar = true)
), epoch_known(file, score_column) AS (
  VALUES
    ('adversarial_nli_external', 'Score'),
    ('aider_polyglot_external', 'Percent correct'),
    ('apex_agents_external', 'Pass@1 score'),
    ('arc_agi_2_external', 'Score'),
    ('arc_agi_external', 'Score'),
    ('arc_ai2_external', 'Challenge score'),
    ('balrog_external', 'Average progress'),
    ('bbh_external', 'Average'),
    ('bool_q_external', 'Score'),
    ('cad_eval_external', 'Overall pass (%)'),
    ('chess_puzzles', 'mean_score'),
    ('common_sense_qa_2_external', 'Score'),
    ('cybench_external', 'Unguided % Solved'),
    ('deepresearchbench_external', 'Average score'),
    ('epoch_capabilities_index', 'ECI Score'),
    ('fictionlivebench_external', '120k token score'),
    ('frontiermath', 'mean_score'),
    ('frontiermath_tier_4', 'mean_score'),
    ('geobench_external', 'ACW Avg Score'),
    ('gpqa_diamond', 'mean_score'),
    ('gsm8k_external', 'EM'),
    ('gso_external', 'Score OPT@1'),
    ('hella_swag_external', 'Overall accuracy'),
    ('hle_external', 'Accuracy'),
    ('lambada_external', 'Score'),
    ('lech_mazur_writing_external', 'Mean score'),
    ('live_bench_external', 'Global average'),
    ('math_level_5', 'mean_score'),
    ('metr_time_horizons_external', 'Time horizon'),
    ('mmlu_external', 'EM'),
    ('open_book_qa_external', 'Accuracy'),
    ('os_world_external', 'Score'),
    ('otis_mock_aime_2024_2025', 'mean_score'),
    ('piqa_external', 'Score'),
    ('science_qa_external', 'Score'),
    ('simplebench_external', 'Score (AVG@5)'),
    ('simpleqa_verified', 'mean_score'),
    ('superglue_external', 'Score'),
    ('swe_bench_bash', '% Resolved'),
    ('swe_bench_verified', 'mean_score'),
    ('terminalbench_external', 'Accuracy mean'),
    ('the_agent_company_external', '% Score'),
    ('trivia_qa_external', 'EM'),
    ('video_mme_external', 'Overall (no subtitles)'),
    ('vpct_external', 'Correct'),
    ('webdev_arena_external', 'Arena Score'),
    ('weirdml_external', 'Accuracy'),
    ('wino_grande_external', 'Accuracy')
), epoch_measures(file, error_column, error_unit, size_column) AS (
  -- Standard errors, in this part of the score's unit, and sample sizes, by file.
  VALUES
    ('apex_agents_external', 'Pass@1 Standard Error', 100, NULL),
    ('balrog_external', 'Average Standard error', 1, NULL),
    ('cad_eval_external', NULL, NULL, 'Total tasks'),
    ('chess_puzzles', 'stderr', 1, NULL),
    ('frontiermath', 'stderr', 1, NULL),
    ('frontiermath_tier_4', 'stderr', 1, NULL),
    ('gpqa_diamond', 'stderr', 1, NULL),
    ('hle_external', 'Accuracy Standard Error', 1, NULL),
    ('math_level_5', 'stderr', 1, NULL),
    ('otis_mock_aime_2024_2025', 'stderr', 1, NULL),
    ('simpleqa_verified', 'stderr', 1, NULL),
    ('swe_bench_verified', 'stderr', 1, NULL),
    ('terminalbench_external', 'Accuracy SE', 1, NULL),
    ('webdev_arena_external', NULL, NULL, 'Votes')
), epoch_files AS (
  -- Where files write one name in two ways, DuckDB takes the first: so case is no matter.
  SELECT file, map_from_entries(list_transform(list_filter(map_entries(cells), lambda cell: cell.value <> ''),
                                               lambda cell: {key: lower(cell.key), value: trim(cell.value, E' \t\r\n')})) AS cells
  FROM (SELECT regexp_extract(filename, '([^/\\]+)\.csv$', 1) AS file, to_json(cells)::MAP(VARCHAR, VARCHAR) AS cells
        FROM read_csv('epoch/*.csv', union_by_name = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"',
                      filename = true, buffer_size = 2097152) AS cells)
), epoch_scores AS (
  SELECT file, cells['model version'] AS model, TRY_CAST(cells['started at'] AS TIMESTAMP) AS started_at,
         nullif(cells[lower(score_column)], '') AS score, TRY_CAST(score AS DOUBLE) AS number,
         max(score) OVER (PARTITION BY file) IS NULL AS is_lost,
         round(TRY_CAST(cells[lower(error_column)] AS DOUBLE) / error_unit, 6) AS stderr,
         TRY_CAST(cells[lower(size_column)] AS BIGINT) AS size,
         coalesce(cells['log viewer'], cells['source link'], cells['source link (site from table)']) AS link,
         CASE WHEN regexp_full_match(link, 'https?://[!-~]+') THEN link END AS source_url,
         -- Of https://www.acme.com/paper it is acme.
         regexp_extract(link, '^https?://(?:[^/:]+\.)?([^./:]{3,})\.[^./:]+(?:[:/]|$)', 1) AS site,
         lower(replace(split_part(cells['organization'], ',', 1), ' ', '')) AS maker,
         NOT contains(file, '_external') AND file <> 'swe_bench_bash' AS is_own
  FROM epoch_files JOIN epoch_known USING (file) LEFT JOIN epoch_measures USING (file)
), epoch AS (
  SELECT model AS model_id, 'epoch/' || replace(file, '_external', '') AS benchmark_id,
         coalesce(round(number, 6)::VARCHAR, score) AS value,
         CASE WHEN is_own THEN 'epoch' ELSE 'epoch-external' END AS source,
         started_at::DATE AS measured_at, size AS n, stderr,
         nullif(regexp_extract(model, '.+_(none|minimal|low|medium|high|xhigh|max|thinking|\d+[Kk])$', 1), '') AS variant,
         CASE WHEN is_own THEN 'evaluator'
              WHEN site <> '' AND contains(maker, lower(site)) THEN 'maker'
              ELSE 'third_party' END AS reported_by,
         source_url
  FROM epoch_scores
  WHERE model <> '' AND (score IS NOT NULL OR is_lost)
  QUALIFY row_number() OVER (PARTITION BY file, model
                             ORDER BY started_at DESC NULLS LAST, number DESC NULLS LAST, score, source_url, stderr, size) = 1
), livebench_lines AS (
  SELECT string_split(rtrim(line, E'\r'), ',') AS fields
  FROM read_csv('livebench/table.csv', header = false, delim = '\n', quote = '', escape = '', columns = {line: 'VARCHAR'})
  WHERE trim(line) <> ''
), livebench_header AS (
  SELECT fields AS tasks FROM livebench_lines WHERE fields[1] = 'model'
), livebench_chosen AS (
  SELECT fields, tasks
  FROM livebench_lines, livebench_header
  WHERE fields[1] <> 'model'
  QUALIFY row_number() OVER (PARTITION BY fields[1] ORDER BY len(fields) <> len(tasks), fields) = 1
), livebench_results AS (
  SELECT fields[1] AS model, unnest(tasks[2:]) AS task,
         unnest(CASE WHEN len(fields) = len(tasks) THEN list_transform(fields[2:], lambda field: TRY_CAST(field AS DOUBLE))
                     ELSE list_transform(tasks[2:], lambda task: NULL::DOUBLE) END) AS result
  FROM livebench_chosen
), livebench_categories AS (
  SELECT category, unnest(tasks) AS task
  FROM (SELECT unnest(map_keys(m)) AS category, unnest(map_values(m)) AS tasks
        FROM (SELECT json::MAP(VARCHAR, VARCHAR[]) AS m
              FROM read_json_objects('livebench/categories.json', format = 'unstructured')))
), livebench_models AS (
  SELECT DISTINCT model FROM livebench_results
), livebench_means AS (
  SELECT model, category, CASE WHEN count(result) = count(*) THEN avg(result) END AS mean
  FROM livebench_models CROSS JOIN livebench_categories LEFT JOIN livebench_results USING (model, task)
  GROUP BY model, category
), livebench AS (
  SELECT model AS model_id, 'livebench/' || lower(replace(category, ' ', '-')) AS benchmark_id, round(mean, 6) AS value,
         'livebench' AS source, NULL AS measured_at, NULL AS n, NULL AS stderr, NULL AS variant, 'evaluator' AS reported_by,
         'https://livebench.ai' AS source_url
  FROM livebench_means
  UNION ALL
  SELECT model, 'livebench/overall', CASE WHEN count(mean) = count(*) THEN round(avg(mean), 6) END, 'livebench', NULL, NULL, NULL,
         NULL, 'evaluator', 'https://livebench.ai'
  FROM livebench_means
  GROUP BY model
)
SELECT coalesce(aliases.model_id, 'epoch:' || epoch.model_id) AS model_id, benchmark_id, value, source, measured_at, n,
       stderr, variant, reported_by, source_url, 'epoch' AS upstream
FROM epoch LEFT JOIN aliases ON aliases.upstream = 'epoch' AND id = epoch.model_id
UNION ALL
SELECT coalesce(aliases.model_id, 'livebench:' || livebench.model_id), benchmark_id, value::VARCHAR, source, measured_at, n,
       stderr, variant, reported_by, source_url, 'livebench'
FROM livebench LEFT JOIN aliases ON aliases.upstream = 'livebench' AND id = livebench.model_id;

-- rankings
-- One row per model, board and category of the board, as LMArena's recipe has them.
WITH aliases AS (
  SELECT upstream, id, model_id FROM read_csv('aliases.csv', header = true, delim = ',', all_varchar = true)
), ranks AS (
  SELECT coalesce(model_id, 'lmarena:' || model_name) AS model_id,
         regexp_extract(filename, '([^/\\]+)\.parquet$', 1) || '/' || category AS category, rank, rating, variance, vote_count
  FROM read_parquet([
    'lmarena/document.parquet', 'lmarena/image_edit.parquet', 'lmarena/image_to_video.parquet', 'lmarena/search.parquet',
    'lmarena/text.parquet', 'lmarena/text_style_control.parquet', 'lmarena/text_to_image.parquet',
    'lmarena/text_to_video.parquet', 'lmarena/video_edit.parquet', 'lmarena/vision.parquet', 'lmarena/webdev.parquet'
  ], union_by_name = true, filename = true)
  LEFT JOIN aliases ON upstream = 'lmarena' AND id = model_name
)
SELECT model_id, category, rank, round(rating, 6) AS trueskill_mu, round(sqrt(variance), 6) AS trueskill_sigma,
       'lmarena' AS upstream
FROM ranks
QUALIFY row_number() OVER (PARTITION BY model_id, category ORDER BY rank, vote_count DESC, rating DESC) = 1;

-- pricing
-- One row per model and provider. Where several upstreams or names tell one, OpenRouter's own word comes first, then models.dev,
-- genai-prices and LiteLLM; of one upstream's names the model's id, then the first in order. Up to `facts` it is the recipes of these.
WITH aliases AS (
  SELECT upstream, id, model_id FROM read_csv('aliases.csv', header = true, delim = ',', all_varchar = true)
), models_dev_providers AS (
  SELECT unnest(map_keys(listed)) AS provider, unnest(map_values(listed)) AS about
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('models-dev.json'))
), models_dev_entries AS (
  SELECT provider, unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT provider, (about->'models')::MAP(VARCHAR, JSON) AS listed FROM models_dev_providers)
), models_dev_costs AS (
  SELECT id, provider, entry->'cost' AS cost,
         list_filter(coalesce(TRY_CAST(cost->'tiers' AS JSON[]), []), lambda tier: json_extract_string(tier, '$.tier.type') = 'context') AS tiers,
         list_transform(map_entries(coalesce(TRY_CAST(entry->'experimental'->'modes' AS MAP(VARCHAR, JSON)), MAP {})),
                        lambda mode: {tier: coalesce(mode.value->'provider'->'body'->>'service_tier', mode.key),
                                      cost: mode.value->'cost'}) AS modes
  FROM models_dev_entries
), models_dev_cards AS (
  SELECT id, provider,
         [{tier: NULL::VARCHAR, context_min: NULL::BIGINT, cost: cost}]
         || list_transform(tiers, lambda tier: {tier: NULL, context_min: TRY_CAST(tier->'tier'->>'size' AS BIGINT), cost: tier})
         || CASE WHEN len(tiers) = 0 AND json_exists(cost, 'context_over_200k')
                 THEN [{tier: NULL, context_min: 200000, cost: cost->'context_over_200k'}] ELSE [] END
         || list_transform(
              list_filter(modes, lambda mode, place: mode.tier IN ('batch', 'flex', 'priority', 'fast')
                                                     AND list_position(list_transform(modes, lambda other: other.tier), mode.tier) = place),
              lambda mode: {tier: mode.tier, context_min: NULL, cost: mode.cost}) AS cards
  FROM models_dev_costs
), models_dev_listed AS (
  SELECT id, provider,
         list_transform(cards, lambda card: {
           "when": CASE WHEN card.tier IS NOT NULL OR card.context_min IS NOT NULL
                        THEN {tier: card.tier, context_min: card.context_min, applies: CASE WHEN card.context_min > 0 THEN 'request' END} END,
           amounts: json_extract_string(card.cost, ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'input_audio', 'output_audio'])
         }) AS cards
  FROM models_dev_cards
), models_dev_rated AS (
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
  FROM models_dev_listed
), models_dev_prices AS (
  SELECT id AS model_id, provider,
         coalesce(CASE WHEN abs(input_usd) < 0.0001 THEN input_usd ELSE round(input_usd, 6) END::VARCHAR, input) AS input_per_million,
         coalesce(CASE WHEN abs(output_usd) < 0.0001 THEN output_usd ELSE round(output_usd, 6) END::VARCHAR, output) AS output_per_million,
         'USD' AS currency, NULL AS effective_from,
         list_transform(rates, lambda rate: {meter: rate.meter, unit: rate.unit, per: rate.per, price: rate.price, "when": rate."when"}) AS rates
  FROM models_dev_rated
  WHERE len(rates) > 0
), openrouter_listed AS (
  SELECT unnest((content::JSON->'data')::JSON[]) AS entry, generate_subscripts((content::JSON->'data')::JSON[], 1) AS place
  FROM read_text('openrouter.json')
), openrouter_entries AS (
  SELECT place, entry->>'id' AS id, entry->'pricing' AS prices FROM openrouter_listed WHERE NOT starts_with(entry->>'id', '~')
), openrouter_cards AS (
  -- The base prices, and those of longer requests.
  SELECT place, id, prices, prices->>'prompt' AS prompt, NULL::BIGINT AS context_min, 0 AS card FROM openrouter_entries
  UNION ALL
  SELECT place, id, prices, coalesce(prices->>'prompt', prompt), TRY_CAST(prices->>'min_prompt_tokens' AS BIGINT), card
  FROM (SELECT place, id, openrouter_entries.prices->>'prompt' AS prompt, unnest((openrouter_entries.prices->'overrides')::JSON[]) AS prices,
               generate_subscripts((openrouter_entries.prices->'overrides')::JSON[], 1) AS card
        FROM openrouter_entries)
), openrouter_meters(name, meter, counted) AS (
  VALUES
    ('prompt', 'input', 'token'), ('completion', 'output', 'token'), ('input_cache_read', 'cache_read', 'token'),
    ('input_cache_write', 'cache_write', 'token'), ('input_cache_write_1h', 'cache_write_1h', 'token'),
    ('internal_reasoning', 'reasoning', 'token'), ('image', 'image_in', 'image'), ('image_output', 'image_out', 'token'),
    ('audio', 'audio_in', 'token'), ('audio_output', 'audio_out', 'token'), ('request', 'request', 'request'),
    ('web_search', 'search', 'request')
), openrouter_costs AS (
  SELECT place, id, prompt, context_min, card, unnest(map_keys(fields)) AS name, unnest(map_values(fields)) AS field
  FROM (SELECT *, prices::MAP(VARCHAR, JSON) AS fields FROM openrouter_cards)
  -- An entry with another condition, such as an hour, is not of this form.
  WHERE card = 0 OR (context_min > 0 AND len(list_filter(map_keys(fields), lambda key: starts_with(key, 'utc_'))) = 0)
), openrouter_amounts AS (
  SELECT place, id, meter, field->>'$' AS cost, context_min, card,
         -- An image is charged by the image, or as the prompt's tokens are.
         CASE WHEN name = 'image' AND TRY_CAST(cost AS DOUBLE) = TRY_CAST(prompt AS DOUBLE) THEN 'token' ELSE counted END AS unit,
         CASE unit WHEN 'token' THEN 1000000 ELSE 1 END AS per,
         TRY_CAST(cost AS DOUBLE) * per AS usd,
         CASE WHEN abs(usd) < (CASE unit WHEN 'token' THEN 0.0001 ELSE 0.0000001 END) THEN usd
              WHEN unit = 'token' THEN round(usd, 6) ELSE round(usd, 9) END AS price
  FROM openrouter_costs JOIN openrouter_meters USING (name)
  WHERE cost IS NOT NULL AND (name IN ('prompt', 'completion') OR TRY_CAST(cost AS DOUBLE) > 0 OR TRY_CAST(cost AS DOUBLE) IS NULL)
  QUALIFY row_number() OVER (PARTITION BY place, meter, context_min ORDER BY card DESC) = 1
), openrouter_priced AS (
  SELECT place, id,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (meter = 'input' AND card = 0) AS input,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (meter = 'output' AND card = 0) AS output,
         list({meter: meter, unit: unit, per: per, price: price,
               'when': CASE WHEN card > 0 THEN {context_min: context_min, applies: 'request'} END})
           FILTER (usd >= 0 OR usd IS NULL) AS rates
  FROM openrouter_amounts
  GROUP BY place, id
), openrouter_prices AS (
  SELECT id AS model_id, 'openrouter' AS provider, input AS input_per_million, output AS output_per_million,
         'USD' AS currency, NULL AS effective_from, rates
  FROM openrouter_priced
  WHERE (input IS NOT NULL OR output IS NOT NULL)
    AND coalesce(TRY_CAST(input AS DOUBLE), 0) >= 0 AND coalesce(TRY_CAST(output AS DOUBLE), 0) >= 0
), genai_prices_providers AS (
  SELECT id AS provider, unnest(models) AS entry,
         coalesce(TRY_CAST(regexp_extract(filename, '(\d{4}-\d{2}-\d{2})[/\\][^/\\]*$', 1) AS DATE), current_date) AS day
  FROM read_json('genai-prices.json', columns = {id: 'VARCHAR', models: 'JSON[]'}, maximum_object_size = 16777216, filename = true)
), genai_prices_listed AS (
  SELECT * FROM genai_prices_providers WHERE provider <> 'openrouter' OR contains(entry->>'id', '/')
), genai_prices_choices AS (
  SELECT provider, entry->>'id' AS id, day,
         unnest(CASE json_type(entry->'prices') WHEN 'ARRAY' THEN (entry->'prices')::JSON[] ELSE [json_object('prices', entry->'prices')] END) AS choice,
         generate_subscripts(CASE json_type(entry->'prices') WHEN 'ARRAY' THEN (entry->'prices')::JSON[] ELSE ['{}'::JSON] END, 1) AS place
  FROM genai_prices_listed
), genai_prices_conditions AS (
  SELECT provider, id, day, place, choice->'prices' AS prices,
         TRY_CAST(choice->'constraint'->>'start_date' AS DATE) AS start_date,
         left(choice->'constraint'->>'start_time', 8) AS start_time, left(choice->'constraint'->>'end_time', 8) AS end_time,
         json_type(choice->'constraint') IS NULL AS is_default
  FROM genai_prices_choices
), genai_prices_in_force AS (
  SELECT provider, id, start_date, prices
  FROM genai_prices_conditions
  WHERE is_default OR start_date <= day
     OR (CASE WHEN start_time <= end_time THEN '12:00:00' >= start_time AND '12:00:00' < end_time
              ELSE '12:00:00' >= start_time OR '12:00:00' < end_time END)
  QUALIFY row_number() OVER (PARTITION BY provider, id ORDER BY place DESC) = 1
), genai_prices_meters(name, meter, unit, per) AS (
  VALUES
    ('input_mtok', 'input', 'token', 1000000), ('output_mtok', 'output', 'token', 1000000),
    ('cache_read_mtok', 'cache_read', 'token', 1000000), ('cache_write_mtok', 'cache_write', 'token', 1000000),
    ('cache_write_1h_mtok', 'cache_write_1h', 'token', 1000000), ('output_reasoning_mtok', 'reasoning', 'token', 1000000),
    ('input_image_mtok', 'image_in', 'token', 1000000), ('output_image_mtok', 'image_out', 'token', 1000000),
    ('input_audio_mtok', 'audio_in', 'token', 1000000), ('output_audio_mtok', 'audio_out', 'token', 1000000),
    ('output_video_mtok', 'video_out', 'token', 1000000), ('requests_kcount', 'request', 'request', 1),
    ('web_searches_kcount', 'search', 'request', 1)
), genai_prices_fields AS (
  SELECT provider, id, start_date, unnest(map_keys(listed)) AS name, unnest(map_values(listed)) AS field
  FROM (SELECT provider, id, start_date, prices::MAP(VARCHAR, JSON) AS listed FROM genai_prices_in_force)
), genai_prices_costs AS (
  SELECT provider, id, start_date, name, coalesce(field->>'base', field->>'$') AS cost, NULL::BIGINT AS context_min FROM genai_prices_fields
  UNION ALL
  SELECT provider, id, start_date, name, tier->>'price', TRY_CAST(tier->>'start' AS BIGINT)
  FROM (SELECT provider, id, start_date, name, unnest((field->'tiers')::JSON[]) AS tier FROM genai_prices_fields WHERE json_type(field) = 'OBJECT')
), genai_prices_amounts AS (
  SELECT provider, id, start_date, meter, unit, per, cost, context_min,
         -- Requests and searches are listed by the thousand.
         TRY_CAST(cost AS DOUBLE) / CASE unit WHEN 'token' THEN 1 ELSE 1000 END AS usd,
         CASE WHEN abs(usd) < (CASE unit WHEN 'token' THEN 0.0001 ELSE 0.0000001 END) THEN usd
              WHEN unit = 'token' THEN round(usd, 6) ELSE round(usd, 9) END AS price
  FROM genai_prices_costs JOIN genai_prices_meters USING (name)
  WHERE cost IS NOT NULL
), genai_prices_priced AS (
  SELECT provider, id, start_date,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (meter = 'input' AND context_min IS NULL) AS input,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (meter = 'output' AND context_min IS NULL) AS output,
         list({meter: meter, unit: unit, per: per, price: price,
               'when': CASE WHEN context_min IS NOT NULL THEN {context_min: context_min, applies: 'request'} END}) AS rates
  FROM genai_prices_amounts
  GROUP BY provider, id, start_date
), genai_prices_prices AS (
  SELECT id AS model_id, provider, input AS input_per_million, output AS output_per_million, 'USD' AS currency,
         start_date AS effective_from, rates
  FROM genai_prices_priced
  WHERE input IS NOT NULL OR output IS NOT NULL
), litellm_listed AS (
  SELECT unnest(map_keys(listed)) AS id, unnest(map_values(listed)) AS entry
  FROM (SELECT content::JSON::MAP(VARCHAR, JSON) AS listed FROM read_text('litellm.json'))
), litellm_entries AS (
  SELECT id, entry->>'litellm_provider' AS provider, entry::MAP(VARCHAR, JSON) AS fields
  FROM litellm_listed
  WHERE entry->>'mode' IN ('chat', 'completion', 'responses', 'embedding')
    AND id <> 'sample_spec' AND NOT starts_with(id, 'openrouter/openrouter/')
), litellm_fields AS (
  SELECT id, provider, unnest(list_filter(map_entries(fields), lambda field: regexp_matches(field.key, 'cost|tiered_pricing'))) AS field
  FROM litellm_entries
), litellm_bands AS (
  -- Rate cards by the request's input tokens.
  SELECT id, provider, unnest((field.value)::JSON[]) AS band FROM litellm_fields WHERE field.key = 'tiered_pricing'
), litellm_costs AS (
  SELECT id, provider, field.key AS name,
         CASE field.key WHEN 'search_context_cost_per_query' THEN field.value->>'search_context_size_medium' ELSE field.value->>'$' END AS cost,
         NULL::BIGINT AS start, field.key <> 'search_context_cost_per_query' AND TRY_CAST(field.value AS DOUBLE) > 0 AS is_charged
  FROM litellm_fields
  WHERE field.key <> 'tiered_pricing'
  UNION ALL
  SELECT id, provider, card.key, card.value->>'$', start, false
  FROM (SELECT id, provider, TRY_CAST(band->'range'->>0 AS DOUBLE)::BIGINT AS start, unnest(map_entries(band::MAP(VARCHAR, JSON))) AS card
        FROM litellm_bands WHERE json_type(band->'range') = 'ARRAY')
), litellm_parts AS (
  SELECT id, provider, name, cost, start, is_charged,
         regexp_extract(name, '^(.+?)(?:_above_(\d+)k_tokens)?(?:_(flex|priority|batch)(?:es|_requests)?)?$', ['base', 'above', 'tier']) AS part
  FROM litellm_costs
), litellm_meters(base, meter, unit, place) AS (
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
), litellm_amounts AS (
  SELECT id, provider, meter, unit, cost, is_charged, CASE unit WHEN 'token' THEN 1000000 ELSE 1 END AS per,
         nullif(part.tier, '') AS tier,
         coalesce(nullif(start, 0), TRY_CAST(part.above AS BIGINT) * 1000) AS context_min,
         TRY_CAST(cost AS DOUBLE) * per AS usd,
         CASE WHEN abs(usd) < (CASE unit WHEN 'token' THEN 0.0001 ELSE 0.0000001 END) THEN usd
              WHEN unit = 'token' THEN round(usd, 6) ELSE round(usd, 9) END AS price,
         row_number() OVER (PARTITION BY id, meter, unit, tier, context_min ORDER BY cost IS NULL, start IS NULL, place, name) AS turn
  FROM litellm_parts LEFT JOIN litellm_meters ON base = part.base
), litellm_priced AS (
  SELECT id, provider,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (is_known AND meter = 'input' AND is_plain) AS input,
         any_value(coalesce(price::VARCHAR, cost)) FILTER (is_known AND meter = 'output' AND is_plain) AS output,
         list({meter: meter, unit: unit, per: per, price: price,
               'when': CASE WHEN NOT is_plain THEN {tier: tier, context_min: context_min,
                                                    applies: CASE WHEN context_min > 0 THEN 'request' END} END})
           FILTER (is_known) AS rates,
         coalesce(bool_or(is_charged), false) AS costs
  FROM (SELECT *, meter IS NOT NULL AND cost IS NOT NULL AND turn = 1 AS is_known, tier IS NULL AND context_min IS NULL AS is_plain
        FROM litellm_amounts)
  GROUP BY id, provider
), litellm_prices AS (
  SELECT id AS model_id, provider, input AS input_per_million, output AS output_per_million, 'USD' AS currency, NULL AS effective_from, rates
  FROM litellm_priced
  WHERE (input IS NOT NULL OR output IS NOT NULL)
    -- Something else is charged for: then nothing a token says nothing.
    AND NOT (costs AND coalesce(TRY_CAST(input AS DOUBLE), 0) = 0 AND coalesce(TRY_CAST(output AS DOUBLE), 0) = 0)
), facts AS (
  SELECT 1 AS step, 'openrouter' AS reporter, 'models-dev' AS upstream, model_id AS id, provider, input_per_million, output_per_million,
         currency, NULL::DATE AS since, to_json(rates) AS rates
  FROM openrouter_prices
  UNION ALL
  SELECT 2, 'models-dev', 'models-dev', model_id, provider, input_per_million, output_per_million, currency, NULL, to_json(rates)
  FROM models_dev_prices
  UNION ALL
  SELECT 3, 'genai-prices', CASE provider WHEN 'openrouter' THEN 'models-dev' ELSE 'genai-prices' END, model_id, provider,
         input_per_million, output_per_million, currency, effective_from, to_json(rates)
  FROM genai_prices_prices
  UNION ALL
  SELECT 4, 'litellm', CASE WHEN model_id SIMILAR TO 'openrouter/.+/.+' THEN 'models-dev' ELSE 'litellm' END,
         CASE WHEN model_id SIMILAR TO 'openrouter/.+/.+' THEN substr(model_id, 12) ELSE model_id END, provider,
         input_per_million, output_per_million, currency, NULL, to_json(rates)
  FROM litellm_prices
), named AS (
  SELECT coalesce(model_id, CASE upstream WHEN 'models-dev' THEN facts.id ELSE upstream || ':' || facts.id END) AS model_id, facts.*
  FROM facts LEFT JOIN aliases USING (upstream, id)
)
SELECT model_id, provider, input_per_million, output_per_million, currency, since AS effective_from, rates, reporter AS upstream
FROM named
QUALIFY row_number() OVER (PARTITION BY model_id, provider ORDER BY step, id <> model_id, id) = 1;
