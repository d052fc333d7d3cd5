-- LMArena's leaderboard data set: a Parquet file per board. README.md beside this file has the rules and their reasons.

-- models
-- One row per name, on whatever boards it stands.
SELECT model_name AS id, trim(model_name) AS name, min(nullif(trim(organization), '')) AS organization,
       NULL AS release_date, NULL AS context_length, NULL AS inference
FROM read_parquet([
  'lmarena/document.parquet', 'lmarena/image_edit.parquet', 'lmarena/image_to_video.parquet', 'lmarena/search.parquet',
  'lmarena/text.parquet', 'lmarena/text_style_control.parquet', 'lmarena/text_to_image.parquet',
  'lmarena/text_to_video.parquet', 'lmarena/video_edit.parquet', 'lmarena/vision.parquet', 'lmarena/webdev.parquet'
], union_by_name = true)
GROUP BY model_name;

-- rankings
-- One row per model, board and category of the board. Of a name that stands twice in a category, the better rank.
SELECT model_name AS model_id, regexp_extract(filename, '([^/\\]+)\.parquet$', 1) || '/' || category AS category, rank,
       round(rating, 6) AS trueskill_mu, round(sqrt(variance), 6) AS trueskill_sigma
FROM read_parquet([
  'lmarena/document.parquet', 'lmarena/image_edit.parquet', 'lmarena/image_to_video.parquet', 'lmarena/search.parquet',
  'lmarena/text.parquet', 'lmarena/text_style_control.parquet', 'lmarena/text_to_image.parquet',
  'lmarena/text_to_video.parquet', 'lmarena/video_edit.parquet', 'lmarena/vision.parquet', 'lmarena/webdev.parquet'
], union_by_name = true, filename = true)
QUALIFY row_number() OVER (PARTITION BY filename, category, model_name ORDER BY rank, vote_count DESC, rating DESC) = 1;
