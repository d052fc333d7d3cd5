import type { Day } from '../../../runtime/day.ts';
import { list, nullable, number, oneOf, type RowOf, text } from '../../../storage/duckdb/row-shape.ts';
import type { View } from '../../view/view.ts';
import {
  endedOfferWords,
  type ModelFacts,
  type Move,
  modelWords,
  moveWords,
  nameInText,
  newModelWords,
  offerWords,
  type Price,
  priceChangeWords,
  providerWords,
  scoreWords,
  titleList,
} from './words.ts';

const NEWS_ROW = {
  seq: number,
  day: text,
  kind: oneOf(['model', 'score', 'ranking', 'pricing']),
  change: oneOf(['came', 'went', 'changed']),
  model_id: text,
  parts: list(text),
  before: nullable(text),
  after: nullable(text),
  lines: number,
  models: number,
};

/**
 * Things of a night that are told in one line: the records of a model that say the same, each with its `part` (benchmark, category or
 * provider; of a new model the providers that offer it). `seq` is the first of their events; `lines` and `models` are how many of them the
 * night has of this kind and change, and of a category's ranks by itself; {@link LINES_MAX} of the lines are read.
 */
export type NewsLine = RowOf<typeof NEWS_ROW>;

/** Lines of a kind and change that an entry has at most; it says how many there are besides. */
export const LINES_MAX = 100;
/** Positions of a category that the feed of all changes tells of. */
const CHANGES_TOP = 10;
/** Positions that the feed of a category tells of. */
const RANKING_TOP = 20;

/** What happened to models: they came and went. */
export function loadModelNews(view: View): Promise<readonly NewsLine[]> {
  return loadLines(view, `kind = 'model'`);
}

/** All that is worth telling of all models: not every rank, no scores, and nothing of what only comes or goes with its model. */
export function loadAllNews(view: View): Promise<readonly NewsLine[]> {
  return loadLines(
    view,
    `kind = 'model' OR (kind = 'pricing' AND NOT is_with_model) OR (kind = 'ranking' AND ${isAmong(CHANGES_TOP)})`,
  );
}

/** All of one model, but for what only goes with it. */
export function loadNewsOf(view: View, modelId: string): Promise<readonly NewsLine[]> {
  return loadLines(view, `model_id = $1 AND NOT (is_with_model AND change = 'went')`, [modelId]);
}

/** Who moved among the first of a category, came in or dropped out. */
export function loadRankingNews(view: View, category: string): Promise<readonly NewsLine[]> {
  return loadLines(view, `kind = 'ranking' AND part = $1 AND ${isAmong(RANKING_TOP)}`, [category]);
}

/** SQL: one of the two positions is among the first. */
function isAmong(top: number): string {
  return `least(TRY_CAST(before AS INTEGER), TRY_CAST(after AS INTEGER)) <= ${top}`;
}

async function loadLines(view: View, wanted: string, values: readonly string[] = []): Promise<readonly NewsLine[]> {
  // The condition comes first, so that nothing else of the table is looked at where it is about one model.
  return view.rows(
    NEWS_ROW,
    `WITH wanted AS MATERIALIZED (
       SELECT *, CASE WHEN kind = 'pricing' THEN '' ELSE part END AS own, CASE WHEN kind = 'ranking' THEN part ELSE '' END AS category
       FROM news WHERE ${wanted}),
     counts AS (SELECT day, kind, change, category, count(DISTINCT model_id) AS models FROM wanted GROUP BY ALL),
     lines AS (
       SELECT min(seq) AS seq, day, kind, change, category, model_id, list_sort(list(part)) AS parts, before, after
       FROM wanted GROUP BY day, kind, change, category, model_id, own, before, after),
     numbered AS (
       SELECT *, count(*) OVER night AS lines, row_number() OVER (night ORDER BY seq) AS n FROM lines
       WINDOW night AS (PARTITION BY day, kind, change, category)),
     offers AS (SELECT day, model_id, list_sort(list(part)) AS parts FROM news
       WHERE kind = 'pricing' AND change = 'came' AND is_with_model GROUP BY day, model_id)
     SELECT l.seq::DOUBLE AS seq, l.day::VARCHAR AS day, l.kind, l.change, l.model_id,
       CASE l.kind WHEN 'model' THEN coalesce(o.parts, []) ELSE l.parts END AS parts, l.before, l.after, l.lines::DOUBLE AS lines,
       c.models::DOUBLE AS models
     FROM numbered l JOIN counts c USING (day, kind, change, category)
     LEFT JOIN offers o ON l.kind = 'model' AND l.change = 'came' AND o.day = l.day AND o.model_id = l.model_id
     WHERE l.n <= ${LINES_MAX} ORDER BY l.day DESC, l.seq`,
    values,
  );
}

/** The first day on which each category was ranked. */
export async function loadFirstDays(view: View): Promise<ReadonlyMap<string, Day>> {
  const rows = await view.rows(
    { category: text, day: text },
    'SELECT category, min(day)::VARCHAR AS day FROM ranking_counts GROUP BY category',
  );
  return new Map(rows.map(({ category, day }) => [category, day]));
}

/** Whether a model is there now. */
export async function hasModel(view: View, id: string): Promise<boolean> {
  const rows = await view.rows({ id: text }, 'SELECT id FROM models WHERE id = $1', [id]);
  return rows.length > 0;
}

/** Whether a category ranks anybody now. */
export async function hasCategory(view: View, category: string): Promise<boolean> {
  const rows = await view.rows({ category: text }, 'SELECT category FROM rankings WHERE category = $1 LIMIT 1', [
    category,
  ]);
  return rows.length > 0;
}

/** What the lines of a feed's entries say, by what the view tells of a night. */
export type NewsLines = readonly [NewsLine, ...NewsLine[]];

export function newModelText({ model_id: id, after, parts }: NewsLine): string {
  return newModelWords(id, modelFacts(after), parts);
}

/** Whether a model that came was here before. */
export function isBack({ before }: NewsLine): boolean {
  return before !== null;
}

export function modelText({ model_id: id, before, after }: NewsLine): string {
  return modelWords(id, modelFacts(after ?? before));
}

function modelFacts(json: string | null): ModelFacts {
  // Written by the view from a model's history; null where a model that is gone never had an interval.
  return json === null ? { name: '', organization: null } : (JSON.parse(json) as ModelFacts);
}

export function priceText({ model_id: id, parts, before, after }: NewsLine): string {
  return priceChangeWords(id, parts, { before: priceFrom(before), after: priceFrom(after) });
}

export function offerText({ model_id: id, parts, after }: NewsLine): string {
  return offerWords(id, parts, priceFrom(after));
}

export function endedOfferText({ model_id: id, parts }: NewsLine): string {
  return endedOfferWords(id, parts);
}

function priceFrom(json: string | null): Price {
  return JSON.parse(json ?? 'null') as Price; // Written by the view from a price's history, for every price that is told.
}

export function rankText(line: NewsLine): string {
  return moveWords(line.model_id, moveOf(line), categoryOf(line));
}

export function moveText(line: NewsLine): string {
  return moveWords(line.model_id, moveOf(line));
}

export function scoreText(line: NewsLine): string {
  return scoreWords(line.model_id, line.parts[0] ?? '', moveOf(line));
}

export function moveOf({ before, after }: NewsLine): Move {
  return { before: before === null ? null : Number(before), after: after === null ? null : Number(after) };
}

export function modelOf({ model_id: id }: NewsLine): string {
  return nameInText(id);
}

export function modelCount([{ models }]: NewsLines, noun: string): string {
  return `${models.toLocaleString('en-US')} ${noun}${models === 1 ? '' : 's'}`;
}

export function modelIds(lines: NewsLines): string {
  return titleList([...new Set(lines.map(modelOf))], lines[0].models);
}

export function modelNames(lines: NewsLines): string {
  return titleList(
    lines.map((line) => nameInText(modelFacts(line.after ?? line.before).name) || modelOf(line)),
    lines[0].models,
  );
}

export function providers(lines: NewsLines): string {
  return providerWords([...new Set(lines.flatMap(({ parts }) => parts))]);
}

export function categoryOf({ parts }: NewsLine): string {
  return parts[0] ?? '';
}
