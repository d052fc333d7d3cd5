/** What the lines of a feed's entries say, by what the view tells of a night. */
import type { NewsLine } from './night-news.ts';
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
