-- Epoch AI's benchmark_data.zip: a CSV file per benchmark, and one of models with an index. README.md beside this file has the
-- rules, the scales and their reasons.

-- models
-- One row per model version that any file has. Each field is the first that is known: of the index, then of the other files in
-- the order of their names (arg_min leaves out nulls).
WITH rows AS (
  SELECT regexp_extract(filename, '([^/\\]+)\.csv$', 1) AS file, trim("Model version", E' \t\r\n') AS model,
         nullif(trim("Display name", E' \t\r\n'), '') AS name, nullif(trim("Organization", E' \t\r\n'), '') AS organization,
         CASE WHEN regexp_full_match("Release date", '\d{4}-\d{2}-\d{2}') THEN TRY_CAST("Release date" AS DATE) END AS released,
         -- By its name in the row's JSON: a day without this column is read too.
         CASE WHEN file = 'epoch_capabilities_index'
              THEN nullif(trim(to_json(cells)->>'$."Model accessibility"', E' \t\r\n'), '') END AS accessibility
  FROM read_csv('epoch/*.csv', union_by_name = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"',
                filename = true, buffer_size = 2097152) AS cells
), ranked AS (
  SELECT *, row_number() OVER (PARTITION BY model ORDER BY file <> 'epoch_capabilities_index', file, organization, released) AS place
  FROM rows
  WHERE model <> ''
)
SELECT model AS id, coalesce(arg_min(name, place), model) AS name, arg_min(organization, place) AS organization,
       arg_min(released, place) AS release_date, NULL AS context_length, NULL AS inference,
       starts_with(arg_min(accessibility, place), 'Open weights') AS open_weights
FROM ranked
GROUP BY model;

-- benchmarks
-- One row per file that is known here.
WITH known(file, name, category) AS (
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
SELECT 'epoch/' || replace(file, '_external', '') AS id, name, category, NULL AS model_count
FROM known
WHERE file IN (SELECT DISTINCT regexp_extract(filename, '([^/\\]+)\.csv$', 1)
               FROM read_csv('epoch/*.csv', union_by_name = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"',
                filename = true, buffer_size = 2097152));

-- scores
-- One row per model and benchmark: of several the newest run, and the highest score where no run has a date. A file without
-- its column gives rows without a value, so that they are set aside as bad. All fields come from the one row that is taken.
WITH known(file, score_column) AS (
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
), measures(file, error_column, error_unit, size_column) AS (
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
), files AS (
  -- Where files write one name in two ways, DuckDB takes the first: so case is no matter.
  SELECT file, map_from_entries(list_transform(list_filter(map_entries(cells), lambda cell: cell.value <> ''),
                                               lambda cell: {key: lower(cell.key), value: trim(cell.value, E' \t\r\n')})) AS cells
  FROM (SELECT regexp_extract(filename, '([^/\\]+)\.csv$', 1) AS file, to_json(cells)::MAP(VARCHAR, VARCHAR) AS cells
        FROM read_csv('epoch/*.csv', union_by_name = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"',
                      filename = true, buffer_size = 2097152) AS cells)
), scores AS (
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
  FROM files JOIN known USING (file) LEFT JOIN measures USING (file)
)
SELECT model AS model_id, 'epoch/' || replace(file, '_external', '') AS benchmark_id,
       coalesce(round(number, 6)::VARCHAR, score) AS value,
       CASE WHEN is_own THEN 'epoch' ELSE 'epoch-external' END AS source,
       started_at::DATE AS measured_at, size AS n, stderr,
       nullif(regexp_extract(model, '.+_(none|minimal|low|medium|high|xhigh|max|thinking|\d+[Kk])$', 1), '') AS variant,
       CASE WHEN is_own THEN 'evaluator'
            WHEN site <> '' AND contains(maker, lower(site)) THEN 'maker'
            ELSE 'third_party' END AS reported_by,
       source_url
FROM scores
WHERE model <> '' AND (score IS NOT NULL OR is_lost)
QUALIFY row_number() OVER (PARTITION BY file, model
                           ORDER BY started_at DESC NULLS LAST, number DESC NULLS LAST, score, source_url, stderr, size) = 1;
