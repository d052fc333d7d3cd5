import type { Day } from '../../../runtime/day.ts';
import {
  categoryOf,
  endedOfferText,
  isBack,
  modelCount,
  modelIds,
  modelNames,
  modelOf,
  modelText,
  moveOf,
  moveText,
  type NewsLine,
  type NewsLines,
  newModelText,
  offerText,
  priceText,
  providers,
  rankText,
  scoreText,
} from './night-news.ts';
import { listOf, nameInText, titleList } from './words.ts';

/** What an entry is about, in the order of a night's entries. */
export const TOPICS = ['new-models', 'gone-models', 'prices', 'offers', 'ended-offers', 'ranks', 'scores'] as const;
export type Topic = (typeof TOPICS)[number];

/** What an entry says. */
export interface Telling {
  readonly title: string;
  /** A line for each thing. */
  readonly lines: readonly string[];
}

/** Lines of a night and topic, never none; which belong together when there are few of them; what they say together. */
export interface TopicTeller {
  /** The one thing that a line is about: few of them are told in an entry each. */
  readonly unitOf: (line: NewsLine) => string;
  /** The pages that units have; undefined: none. */
  readonly pages: 'models' | 'rankings' | undefined;
  /** Lines of a single unit; `count` of them, with those that were not read. */
  readonly tellOne: (lines: NewsLines, count: number) => Telling;
  /** Lines of several units. */
  readonly tellMany: (lines: NewsLines) => Telling;
}

export function topicOf({ kind, change }: NewsLine): Topic {
  switch (kind) {
    case 'model':
      return change === 'came' ? 'new-models' : 'gone-models';
    case 'pricing':
      return OFFER_TOPICS[change];
    case 'ranking':
      return 'ranks';
    case 'score':
      return 'scores';
  }
}

const OFFER_TOPICS = { came: 'offers', went: 'ended-offers', changed: 'prices' } as const;

/** What tells the topics of all models together. */
export function tellersOf(firstDays: ReadonlyMap<string, Day>): Readonly<Record<Topic, TopicTeller>> {
  const ranks: TopicTeller = {
    unitOf: categoryOf,
    pages: 'rankings',
    tellOne: (lines) => tellCategory(lines, firstDays),
    tellMany: (lines) => tellCategories(lines, firstDays),
  };
  return { ...TELLERS, ranks };
}

const unitOf = ({ model_id: id }: NewsLine) => id;

const NEW_MODELS: TopicTeller = {
  unitOf,
  pages: 'models',
  tellOne: (lines) => {
    const words = newModelText(lines[0]);
    return { title: `${isBack(lines[0]) ? 'Back' : 'New model'}: ${words}`, lines: [words] };
  },
  tellMany: (lines) => {
    const what = lines.some(isBack) ? `${modelCount(lines, 'model')} came` : modelCount(lines, 'new model');
    return told(
      `${what}: ${modelNames(lines)}`,
      lines,
      (line) => `${newModelText(line)}${isBack(line) ? ', back again' : ''}`,
    );
  },
};

const GONE_MODELS: TopicTeller = {
  unitOf,
  pages: undefined,
  tellOne: (lines) => told(`Gone: ${modelText(lines[0])}`, lines, modelText),
  tellMany: (lines) => told(`${modelCount(lines, 'model')} gone: ${modelNames(lines)}`, lines, modelText),
};

const PRICES: TopicTeller = {
  unitOf,
  pages: 'models',
  tellOne: (lines, count) =>
    told(count === 1 ? priceText(lines[0]) : `${modelOf(lines[0])}: ${count} price changes`, lines, priceText),
  tellMany: (lines) => told(`Prices of ${modelCount(lines, 'model')} changed: ${modelIds(lines)}`, lines, priceText),
};

const OFFERS: TopicTeller = {
  unitOf,
  pages: 'models',
  tellOne: (lines) =>
    told(
      lines.length === 1 ? offerText(lines[0]) : `${modelOf(lines[0])}: now offered by ${providers(lines)}`,
      lines,
      offerText,
    ),
  tellMany: (lines) => told(`${modelCount(lines, 'model')} newly offered by ${providers(lines)}`, lines, offerText),
};

const ENDED_OFFERS: TopicTeller = {
  unitOf,
  pages: 'models',
  tellOne: (lines) => told(endedOfferText(lines[0]), lines, endedOfferText),
  tellMany: (lines) =>
    told(`${modelCount(lines, 'model')} no longer offered by ${providers(lines)}`, lines, endedOfferText),
};

/** The ranks of one model. */
const RANKS: TopicTeller = {
  unitOf,
  pages: 'models',
  tellOne: (lines) => {
    const categories = lines.map((line) => nameInText(categoryOf(line)));
    const title = lines.length === 1 ? rankText(lines[0]) : `${modelOf(lines[0])}: ranks in ${titleList(categories)}`;
    return told(title, lines, rankText);
  },
  tellMany: (lines) => told(`Ranks of ${modelCount(lines, 'model')} changed: ${modelIds(lines)}`, lines, rankText),
};

/** The scores of one model. */
const SCORES: TopicTeller = {
  unitOf,
  pages: 'models',
  tellOne: (lines, count) => {
    const benchmarks = lines.map(({ parts }) => nameInText(parts[0] ?? ''));
    const title = count === 1 ? scoreText(lines[0]) : `${modelOf(lines[0])}: scores in ${titleList(benchmarks, count)}`;
    return told(title, lines, scoreText);
  },
  tellMany: (lines) => told(`Scores of ${modelCount(lines, 'model')} changed: ${modelIds(lines)}`, lines, scoreText),
};

/** What tells the topics of one model; a line is about that model, whatever else it names. */
export const TELLERS: Readonly<Record<Topic, TopicTeller>> = {
  'new-models': NEW_MODELS,
  'gone-models': GONE_MODELS,
  prices: PRICES,
  offers: OFFERS,
  'ended-offers': ENDED_OFFERS,
  ranks: RANKS,
  scores: SCORES,
};

function told(title: string, lines: NewsLines, textOf: (line: NewsLine) => string): Telling {
  return { title, lines: lines.map(textOf) };
}

/** Who moved in one category: by the new position, then who is no longer ranked, by the old one. */
function tellCategory(lines: NewsLines, firstDays: ReadonlyMap<string, Day>): Telling {
  const { heading, moves } = movesIn(lines, firstDays);
  return { title: `${heading}: ${titleList(moves)}`, lines: moves };
}

function tellCategories(lines: NewsLines, firstDays: ReadonlyMap<string, Day>): Telling {
  const groups = [...Map.groupBy(lines, categoryOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = groups.map(([, ofCategory]) => {
    const { heading, moves } = movesIn(ofCategory, firstDays);
    return `${heading}: ${listOf(moves, { max: moves.length })}`;
  });
  const names = groups.map(([category]) => nameInText(category));
  return { title: `Ranks changed in ${groups.length} categories: ${titleList(names)}`, lines: texts };
}

/** The moves of a category's lines, or its places on the night on which it is ranked first, and what stands in front of them. */
function movesIn(lines: readonly NewsLine[], firstDays: ReadonlyMap<string, Day>) {
  const [category, day] = [lines[0] === undefined ? '' : categoryOf(lines[0]), lines[0]?.day];
  const sorted = lines.toSorted(byPosition);
  if (day === undefined || firstDays.get(category) !== day)
    return { heading: nameInText(category), moves: sorted.map(moveText) };
  const moves = sorted.map((line) => `${moveOf(line).after}. ${modelOf(line)}`);
  return { heading: `${nameInText(category)} is ranked for the first time`, moves };
}

/** The order of moves in a category. */
function byPosition(a: NewsLine, b: NewsLine): number {
  const [[afterA, beforeA], [afterB, beforeB]] = [placesOf(a), placesOf(b)];
  if (afterA !== afterB) return afterA < afterB ? -1 : 1;
  if (beforeA !== beforeB) return beforeA < beforeB ? -1 : 1;
  return a.model_id < b.model_id ? -1 : 1;
}

function placesOf(line: NewsLine): readonly [after: number, before: number] {
  const { before, after } = moveOf(line);
  return [after ?? Number.POSITIVE_INFINITY, before ?? Number.POSITIVE_INFINITY];
}
