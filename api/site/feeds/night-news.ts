import { type Day, dayFromNumber } from '../../../runtime/day.ts';
import { numberSql } from '../../view/schema.ts';
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

/**
 * One line: records of a model with the same change. `lines` and `models` count those of the night with this kind and change, per
 * category for ranks; at most {@link LINES_MAX} are read.
 */
export interface NewsLine {
  /** Of the first event. */
  readonly seq: number;
  readonly day: Day;
  readonly kind: 'model' | 'score' | 'ranking' | 'pricing';
  readonly change: 'came' | 'went' | 'changed';
  readonly model_id: string;
  /** Each record's benchmark, category or provider; of a new model its providers. Ascending. */
  readonly parts: readonly string[];
  /** JSON text. */
  readonly before: string | null;
  readonly after: string | null;
  readonly lines: number;
  readonly models: number;
}

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
  return loadLines(view, `model_id = ? AND NOT (is_with_model AND change = 'went')`, [modelId]);
}

/** With models that came in or dropped out. */
export function loadRankingNews(view: View, category: string): Promise<readonly NewsLine[]> {
  return loadLines(view, `kind = 'ranking' AND part = ? AND ${isAmong(RANKING_TOP)}`, [category]);
}

/** SQL: either position is within the top. */
function isAmong(top: number): string {
  return `min(coalesce(CAST(before AS INTEGER), ${top} + 1), coalesce(CAST(after AS INTEGER), ${top} + 1)) <= ${top}`;
}

type NewsRow = Omit<NewsLine, 'day' | 'parts'> & { readonly day: number; readonly parts: string };

/** In a thread: a night may have tens of thousands of news. */
async function loadLines(view: View, condition: string, values: readonly string[] = []): Promise<readonly NewsLine[]> {
  const rows = await view.rowsInThread<NewsRow>(
    `WITH selected AS MATERIALIZED (
       SELECT *, CASE WHEN kind = 'pricing' THEN '' ELSE part END AS own, CASE WHEN kind = 'ranking' THEN part ELSE '' END AS category
       FROM news WHERE ${condition}),
     counts AS (SELECT day, kind, change, category, count(DISTINCT model_id) AS models FROM selected GROUP BY 1, 2, 3, 4),
     lines AS (
       SELECT min(seq) AS seq, day, kind, change, category, model_id, json_group_array(part ORDER BY part) AS parts, before, after
       FROM selected GROUP BY day, kind, change, category, model_id, own, before, after),
     numbered AS (
       SELECT *, count(*) OVER (PARTITION BY day, kind, change, category) AS lines,
         row_number() OVER (PARTITION BY day, kind, change, category ORDER BY seq) AS n FROM lines)
     SELECT l.seq, l.day, l.kind, l.change, l.model_id,
       CASE WHEN l.kind = 'model' AND l.change = 'came' THEN
         (SELECT json_group_array(part ORDER BY part) FROM news o WHERE o.model_id = l.model_id
          AND o.day = l.day AND o.kind = 'pricing' AND o.change = 'came' AND o.is_with_model)
       WHEN l.kind = 'model' THEN '[]' ELSE l.parts END AS parts, l.before, l.after, l.lines, c.models
     FROM numbered l JOIN counts c USING (day, kind, change, category)
     WHERE l.n <= ${LINES_MAX} ORDER BY l.day DESC, l.seq`,
    values,
  );
  return rows.map(({ day, parts, ...row }) => ({
    ...row,
    day: dayFromNumber(day),
    parts: JSON.parse(parts) as readonly string[], // An array made by the query.
  }));
}

/** The first day with a ranking, by category. */
export function loadFirstDays(view: View): ReadonlyMap<string, Day> {
  const rows = view.rows<{ readonly category: string; readonly day: number | null }>(
    `SELECT id AS category, (SELECT min(day) FROM ranking_counts WHERE category = number) AS day FROM ids
     WHERE kind = 'category' ORDER BY id`,
  );
  return new Map(rows.flatMap(({ category, day }) => (day === null ? [] : [[category, dayFromNumber(day)] as const])));
}

export function hasModel(view: View, id: string): boolean {
  return view.rows('SELECT 1 FROM models WHERE id = ?', [id]).length > 0;
}

/** Whether a category has a ranking now. */
export function hasCategory(view: View, category: string): boolean {
  return view.rows(`SELECT 1 FROM rankings WHERE category = ${numberSql('category')} LIMIT 1`, [category]).length > 0;
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
