-- LiveBench's table of one release, a line per model and a column per task, and its categories: {"Coding": [task, …], …}.
-- README.md beside this file has the rules and their reasons.

-- models
-- One row per line.
WITH lines AS (
  SELECT string_split(rtrim(line, E'\r'), ',') AS fields
  FROM read_csv('livebench/table.csv', header = false, delim = '\n', quote = '', escape = '', columns = {line: 'VARCHAR'})
  WHERE trim(line) <> ''
)
SELECT DISTINCT fields[1] AS id, trim(fields[1]) AS name, NULL AS organization, NULL AS release_date, NULL AS context_length,
       NULL AS inference
FROM lines
WHERE fields[1] <> 'model';

-- benchmarks
-- One row per category, and one for all of them.
SELECT 'livebench/' || lower(replace(category, ' ', '-')) AS id, 'LiveBench: ' || category AS name, lower(category) AS category,
       NULL AS model_count
FROM (SELECT unnest(map_keys(json::MAP(VARCHAR, JSON))) AS category
      FROM read_json_objects('livebench/categories.json', format = 'unstructured'))
UNION ALL
SELECT 'livebench/overall', 'LiveBench', 'overall', NULL FROM read_json_objects('livebench/categories.json', format = 'unstructured');

-- scores
-- One row per model and category: the mean of its tasks; and one per model: the mean of its categories. A line that has not as
-- many fields as the header tells no score that can be believed: its rows have none, so that they are set aside as bad. Of a
-- model's lines a complete one is taken, and of several the first in the order of their texts.
WITH lines AS (
  SELECT string_split(rtrim(line, E'\r'), ',') AS fields
  FROM read_csv('livebench/table.csv', header = false, delim = '\n', quote = '', escape = '', columns = {line: 'VARCHAR'})
  WHERE trim(line) <> ''
), header AS (
  SELECT fields AS tasks FROM lines WHERE fields[1] = 'model'
), chosen AS (
  SELECT fields, tasks
  FROM lines, header
  WHERE fields[1] <> 'model'
  QUALIFY row_number() OVER (PARTITION BY fields[1] ORDER BY len(fields) <> len(tasks), fields) = 1
), results AS (
  SELECT fields[1] AS model, unnest(tasks[2:]) AS task,
         unnest(CASE WHEN len(fields) = len(tasks) THEN list_transform(fields[2:], lambda field: TRY_CAST(field AS DOUBLE))
                     ELSE list_transform(tasks[2:], lambda task: NULL::DOUBLE) END) AS result
  FROM chosen
), categories AS (
  SELECT category, unnest(tasks) AS task
  FROM (SELECT unnest(map_keys(m)) AS category, unnest(map_values(m)) AS tasks
        FROM (SELECT json::MAP(VARCHAR, VARCHAR[]) AS m
              FROM read_json_objects('livebench/categories.json', format = 'unstructured')))
), models AS (
  SELECT DISTINCT model FROM results
), means AS (
  SELECT model, category, CASE WHEN count(result) = count(*) THEN avg(result) END AS mean
  FROM models CROSS JOIN categories LEFT JOIN results USING (model, task)
  GROUP BY model, category
)
SELECT model AS model_id, 'livebench/' || lower(replace(category, ' ', '-')) AS benchmark_id, round(mean, 6) AS value,
       'livebench' AS source, NULL AS measured_at, NULL AS n, 'evaluator' AS reported_by, 'https://livebench.ai' AS source_url
FROM means
UNION ALL
SELECT model, 'livebench/overall', CASE WHEN count(mean) = count(*) THEN round(avg(mean), 6) END, 'livebench', NULL, NULL,
       'evaluator', 'https://livebench.ai'
FROM means
GROUP BY model;
