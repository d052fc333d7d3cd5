import type { Day } from '../../../runtime/day.ts';
import { list, nullable, number, oneOf, type RowOf, text } from '../../../storage/duckdb/row-shape.ts';
import type { View } from '../../view/view.ts';
import {
  endedOfferSentence,
  type ModelFacts,
  type Move,
  modelPhrase,
  moveSentence,
  nameInText,
  newModelPhrase,
  offerSentence,
  type Price,
  priceChangeSentence,
  providerList,
  scoreSentence,
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
 * One line: records of a model with the same change, each with its `part` (benchmark, category or provider; of a new
 * model its providers). `seq` is that of their first event. `lines` and `models` count those of the night with this
 * kind and change, per category for ranks; at most {@link LINES_MAX} are read.
 */
export type NewsLine = RowOf<typeof NEWS_ROW>;

/** Lines per kind and change in an entry, which counts the rest. */
export const LINES_MAX = 100;
/** Positions of a category in the feed of all changes. */
const CHANGES_TOP = 10;
/** Positions in a category's feed. */
const RANKING_TOP = 20;

/** Added and removed models. */
export function loadModelNews(view: View): Promise<readonly NewsLine[]> {
  return loadLines(view, `kind = 'model'`);
}

/** Only top ranks, no scores, and no offers that come or go with their model. */
export function loadAllNews(view: View): Promise<readonly NewsLine[]> {
  return loadLines(
    view,
    `kind = 'model' OR (kind = 'pricing' AND NOT is_with_model) OR (kind = 'ranking' AND ${isAmong(CHANGES_TOP)})`,
  );
}

/** Without what is only removed with the model. */
export function loadNewsOf(view: View, modelId: string): Promise<readonly NewsLine[]> {
  return loadLines(view, `model_id = $1 AND NOT (is_with_model AND change = 'went')`, [modelId]);
}

/** With models that came in or dropped out. */
export function loadRankingNews(view: View, category: string): Promise<readonly NewsLine[]> {
  return loadLines(view, `kind = 'ranking' AND part = $1 AND ${isAmong(RANKING_TOP)}`, [category]);
}

/** SQL: either position is within the top. */
function isAmong(top: number): string {
  return `least(TRY_CAST(before AS INTEGER), TRY_CAST(after AS INTEGER)) <= ${top}`;
}

async function loadLines(view: View, condition: string, values: readonly string[] = []): Promise<readonly NewsLine[]> {
  // Filters first, so that only the rows of one model are read.
  return view.rows(
    NEWS_ROW,
    `WITH selected AS MATERIALIZED (
       SELECT *, CASE WHEN kind = 'pricing' THEN '' ELSE part END AS own, CASE WHEN kind = 'ranking' THEN part ELSE '' END AS category
       FROM news WHERE ${condition}),
     counts AS (SELECT day, kind, change, category, count(DISTINCT model_id) AS models FROM selected GROUP BY ALL),
     lines AS (
       SELECT min(seq) AS seq, day, kind, change, category, model_id, list_sort(list(part)) AS parts, before, after
       FROM selected GROUP BY day, kind, change, category, model_id, own, before, after),
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

/** The first day with a ranking, by category. */
export async function loadFirstDays(view: View): Promise<ReadonlyMap<string, Day>> {
  const rows = await view.rows(
    { category: text, day: text },
    'SELECT category, min(day)::VARCHAR AS day FROM ranking_counts GROUP BY category',
  );
  return new Map(rows.map(({ category, day }) => [category, day]));
}

export async function hasModel(view: View, id: string): Promise<boolean> {
  const rows = await view.rows({ id: text }, 'SELECT id FROM models WHERE id = $1', [id]);
  return rows.length > 0;
}

/** Whether a category has a ranking now. */
export async function hasCategory(view: View, category: string): Promise<boolean> {
  const rows = await view.rows({ category: text }, 'SELECT category FROM rankings WHERE category = $1 LIMIT 1', [
    category,
  ]);
  return rows.length > 0;
}

/** Lines of an entry, never none. */
export type NewsLines = readonly [NewsLine, ...NewsLine[]];

export function newModelText({ model_id: id, after, parts }: NewsLine): string {
  return newModelPhrase(id, modelFacts(after), parts);
}

/** Whether an added model had existed before. */
export function isBack({ before }: NewsLine): boolean {
  return before !== null;
}

export function modelText({ model_id: id, before, after }: NewsLine): string {
  return modelPhrase(id, modelFacts(after ?? before));
}

function modelFacts(json: string | null): ModelFacts {
  // Written by the view; null if a removed model never had an interval.
  return json === null ? { name: '', organization: null } : (JSON.parse(json) as ModelFacts);
}

export function priceText({ model_id: id, parts, before, after }: NewsLine): string {
  return priceChangeSentence(id, parts, { before: priceFrom(before), after: priceFrom(after) });
}

export function offerText({ model_id: id, parts, after }: NewsLine): string {
  return offerSentence(id, parts, priceFrom(after));
}

export function endedOfferText({ model_id: id, parts }: NewsLine): string {
  return endedOfferSentence(id, parts);
}

function priceFrom(json: string | null): Price {
  return JSON.parse(json ?? 'null') as Price; // Written by the view for every listed price.
}

export function rankText(line: NewsLine): string {
  return moveSentence(line.model_id, moveOf(line), categoryOf(line));
}

export function moveText(line: NewsLine): string {
  return moveSentence(line.model_id, moveOf(line));
}

export function scoreText(line: NewsLine): string {
  return scoreSentence(line.model_id, line.parts[0] ?? '', moveOf(line));
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
  return providerList([...new Set(lines.flatMap(({ parts }) => parts))]);
}

export function categoryOf({ parts }: NewsLine): string {
  return parts[0] ?? '';
}
