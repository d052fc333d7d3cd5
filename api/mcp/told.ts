/** Sentences that many texts have in common. */
import type { Body, RouteBody } from './exchange.ts';
import { rowsOf } from './table.ts';

/** `3 of 120 models, data as of 2026-06-03 23:59 UTC.` */
export function countedLine({ body, dataAsOf }: Telling, { rows, noun }: Counted): string {
  const shown = rowsOf(body, rows).length;
  const total = typeof body['total'] === 'number' ? ` of ${body['total']}` : '';
  return `${shown}${total} ${noun}${asOf(dataAsOf)}.`;
}

export interface Counted {
  /** The list of the body. */
  readonly rows: string;
  /** What its rows are, in the plural. */
  readonly noun: string;
}

/** `, data as of 2026-06-03T23:59:59Z`; nothing where it isn't known. */
export function asOf(dataAsOf: string | undefined): string {
  return dataAsOf === undefined ? '' : `, data as of ${dataAsOf}`;
}

/** What was cut, and how the list goes on. */
export function pageLine({ body, cut }: Telling): string {
  const cursor = body['next_cursor'];
  const why = cut === 0 ? '' : `${cut} rows of this page were left out, as the answer would have been too long. `;
  if (typeof cursor !== 'string') return why === '' ? 'This is the last page.' : why.trim();
  return `${why}There is more: call again with cursor "${cursor}" and the same other arguments.`;
}

/** Lines, without those that say nothing. */
export function lines(...all: readonly (string | undefined)[]): string {
  return all.filter((line) => line !== undefined && line !== '').join('\n');
}

/** What a tool found: text for a model to read, and the same as data. */
export interface Found {
  readonly text: string;
  readonly body: Body;
}

/** What a text is made of. */
export interface Telling extends RouteBody {
  /** Rows that were cut so that the answer is not too large; 0: none. */
  readonly cut: number;
  /** What there is, where nothing was found. */
  readonly hint?: string | undefined;
}

/** What a model is told once, before it asks anything. */
export const HOW_TO_USE = `modelstats keeps a daily record of AI models: who made them, benchmark scores, rankings, prices per provider, and how all of it changed.
Ids are exact and case-sensitive: call resolve-model with a name that somebody wrote, and use the id that it gives.
Prices are US dollars per million tokens. Dates are UTC days. A dash means that a value is not known; nothing is estimated.
Data change once a night, so the same question has the same answer all day; "data as of" tells the moment.
A call that returns data costs one unit of the organization's daily quota, compare-models one per model; a refused call costs nothing, get-account neither.
Answers are cut at about 25,000 tokens and say so, with how to get the rest. Lists have pages: pass next_cursor as cursor, with the same other arguments.`;

/** The most that an answer may be, text and structured content together. */
export const TOKENS_MAX = 25_000;

/**
 * What counts as one token: up to six letters, three digits, or three other signs. Over answers of this service that is between 0.88
 * and 1.25 of what the tokenizer o200k_base makes of them; a quarter of the characters would be half of it where hashes and dates are.
 */
const TOKEN = /\p{L}{1,6}|\p{N}{1,3}|[^\p{L}\p{N}\s]{1,3}/gu;

/** How many tokens a text is, as an estimate: there is no one tokenizer that all models share. */
export function tokensIn(text: string): number {
  return text.match(TOKEN)?.length ?? 0;
}

/** How many tokens an answer is, text and structured content together. */
export function tokensOf({ text, body }: Found): number {
  return tokensIn(text) + tokensIn(JSON.stringify(body));
}

/**
 * Whether an answer is short enough; what has fewer characters than tokens are allowed is not counted.
 * @param characters of the body as JSON, at most; where they are not known it is written to be measured
 */
export function fits({ text, body }: Found, characters = JSON.stringify(body).length): boolean {
  return text.length + characters <= TOKENS_MAX || tokensOf({ text, body }) <= TOKENS_MAX;
}
