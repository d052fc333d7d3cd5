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

/** In the order of a night's entries. */
export const TOPICS = ['new-models', 'gone-models', 'prices', 'offers', 'ended-offers', 'ranks', 'scores'] as const;
export type Topic = (typeof TOPICS)[number];

/** Of the feed of dates of retirement, which are no news of one night. */
export type DateTopic = 'deprecations' | 'retirements';

export interface EntryContent {
  readonly title: string;
  /** One line per thing. */
  readonly lines: readonly string[];
}

/** Makes entries of a topic's lines in a night, at least one. */
export interface TopicWriter {
  /** What a line is about; few of them get their own entries. */
  readonly unitOf: (line: NewsLine) => string;
  /** Kind of page of a unit, if any. */
  readonly pages: 'models' | 'rankings' | undefined;
  /** For lines of one unit; `count` includes unread ones. */
  readonly writeOne: (lines: NewsLines, count: number) => EntryContent;
  /** For lines of several units. */
  readonly writeMany: (lines: NewsLines) => EntryContent;
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

/** For feeds of all models. */
export function writersOf(firstDays: ReadonlyMap<string, Day>): Readonly<Record<Topic, TopicWriter>> {
  const ranks: TopicWriter = {
    unitOf: categoryOf,
    pages: 'rankings',
    writeOne: (lines) => writeCategory(lines, firstDays),
    writeMany: (lines) => writeCategories(lines, firstDays),
  };
  return { ...WRITERS, ranks };
}

const unitOf = ({ model_id: id }: NewsLine) => id;

const NEW_MODELS: TopicWriter = {
  unitOf,
  pages: 'models',
  writeOne: (lines) => {
    const text = newModelText(lines[0]);
    return { title: `${isBack(lines[0]) ? 'Back' : 'New model'}: ${text}`, lines: [text] };
  },
  writeMany: (lines) => {
    const what = lines.some(isBack) ? `${modelCount(lines, 'model')} came` : modelCount(lines, 'new model');
    return contentOf(
      `${what}: ${modelNames(lines)}`,
      lines,
      (line) => `${newModelText(line)}${isBack(line) ? ', back again' : ''}`,
    );
  },
};

const GONE_MODELS: TopicWriter = {
  unitOf,
  pages: undefined,
  writeOne: (lines) => contentOf(`Gone: ${modelText(lines[0])}`, lines, modelText),
  writeMany: (lines) => contentOf(`${modelCount(lines, 'model')} gone: ${modelNames(lines)}`, lines, modelText),
};

const PRICES: TopicWriter = {
  unitOf,
  pages: 'models',
  writeOne: (lines, count) =>
    contentOf(count === 1 ? priceText(lines[0]) : `${modelOf(lines[0])}: ${count} price changes`, lines, priceText),
  writeMany: (lines) =>
    contentOf(`Prices of ${modelCount(lines, 'model')} changed: ${modelIds(lines)}`, lines, priceText),
};

const OFFERS: TopicWriter = {
  unitOf,
  pages: 'models',
  writeOne: (lines) =>
    contentOf(
      lines.length === 1 ? offerText(lines[0]) : `${modelOf(lines[0])}: now offered by ${providers(lines)}`,
      lines,
      offerText,
    ),
  writeMany: (lines) =>
    contentOf(`${modelCount(lines, 'model')} newly offered by ${providers(lines)}`, lines, offerText),
};

const ENDED_OFFERS: TopicWriter = {
  unitOf,
  pages: 'models',
  writeOne: (lines) => contentOf(endedOfferText(lines[0]), lines, endedOfferText),
  writeMany: (lines) =>
    contentOf(`${modelCount(lines, 'model')} no longer offered by ${providers(lines)}`, lines, endedOfferText),
};

/** Ranks of one model. */
const RANKS: TopicWriter = {
  unitOf,
  pages: 'models',
  writeOne: (lines) => {
    const categories = lines.map((line) => nameInText(categoryOf(line)));
    const title = lines.length === 1 ? rankText(lines[0]) : `${modelOf(lines[0])}: ranks in ${titleList(categories)}`;
    return contentOf(title, lines, rankText);
  },
  writeMany: (lines) =>
    contentOf(`Ranks of ${modelCount(lines, 'model')} changed: ${modelIds(lines)}`, lines, rankText),
};

/** Scores of one model. */
const SCORES: TopicWriter = {
  unitOf,
  pages: 'models',
  writeOne: (lines, count) => {
    const benchmarks = lines.map(({ parts }) => nameInText(parts[0] ?? ''));
    const title = count === 1 ? scoreText(lines[0]) : `${modelOf(lines[0])}: scores in ${titleList(benchmarks, count)}`;
    return contentOf(title, lines, scoreText);
  },
  writeMany: (lines) =>
    contentOf(`Scores of ${modelCount(lines, 'model')} changed: ${modelIds(lines)}`, lines, scoreText),
};

/** For the feed of one model. */
export const WRITERS: Readonly<Record<Topic, TopicWriter>> = {
  'new-models': NEW_MODELS,
  'gone-models': GONE_MODELS,
  prices: PRICES,
  offers: OFFERS,
  'ended-offers': ENDED_OFFERS,
  ranks: RANKS,
  scores: SCORES,
};

function contentOf(title: string, lines: NewsLines, textOf: (line: NewsLine) => string): EntryContent {
  return { title, lines: lines.map(textOf) };
}

/** By new position, then those that dropped out, by old position. */
function writeCategory(lines: NewsLines, firstDays: ReadonlyMap<string, Day>): EntryContent {
  const { heading, moves } = movesIn(lines, firstDays);
  return { title: `${heading}: ${titleList(moves)}`, lines: moves };
}

function writeCategories(lines: NewsLines, firstDays: ReadonlyMap<string, Day>): EntryContent {
  const groups = [...Map.groupBy(lines, categoryOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = groups.map(([, ofCategory]) => {
    const { heading, moves } = movesIn(ofCategory, firstDays);
    return `${heading}: ${listOf(moves, { max: moves.length })}`;
  });
  const names = groups.map(([category]) => nameInText(category));
  return { title: `Ranks changed in ${groups.length} categories: ${titleList(names)}`, lines: texts };
}

/** Moves, or all ranks on the first night, with a heading. */
function movesIn(lines: readonly NewsLine[], firstDays: ReadonlyMap<string, Day>) {
  const [category, day] = [lines[0] === undefined ? '' : categoryOf(lines[0]), lines[0]?.day];
  const sorted = lines.toSorted(byPosition);
  if (day === undefined || firstDays.get(category) !== day)
    return { heading: nameInText(category), moves: sorted.map(moveText) };
  const moves = sorted.map((line) => `${moveOf(line).after}. ${modelOf(line)}`);
  return { heading: `${nameInText(category)} is ranked for the first time`, moves };
}

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
