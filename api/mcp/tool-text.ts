/** Texts and token limits of tools. */
import type { Body, RouteBody } from './exchange.ts';
import { rowsOf } from './table.ts';

/** `3 of 120 models, data as of 2026-06-03 23:59 UTC.` */
export function countedLine({ body, dataAsOf }: TextInput, { rows, noun }: Counted): string {
  const shown = rowsOf(body, rows).length;
  const total = typeof body['total'] === 'number' ? ` of ${body['total']}` : '';
  return `${shown}${total} ${noun}${asOf(dataAsOf)}.`;
}

export interface Counted {
  /** The list of the body. */
  readonly rows: string;
  /** The rows' name, in the plural. */
  readonly noun: string;
}

/** `, data as of 2026-06-03T23:59:59Z`; empty if unknown. */
export function asOf(dataAsOf: string | undefined): string {
  return dataAsOf === undefined ? '' : `, data as of ${dataAsOf}`;
}

/** What was cut, and how to get the next page. */
export function pageLine({ body, cut }: TextInput): string {
  const cursor = body['next_cursor'];
  const why = cut === 0 ? '' : `${cut} rows of this page were left out because the response would be too long. `;
  if (typeof cursor !== 'string') return why === '' ? 'This is the last page.' : why.trim();
  return `${why}There is more: call again with cursor "${cursor}" and the same other arguments.`;
}

/** Joins lines, without empty ones. */
export function lines(...all: readonly (string | undefined)[]): string {
  return all.filter((line) => line !== undefined && line !== '').join('\n');
}

export interface Found {
  readonly text: string;
  readonly body: Body;
}

export interface TextInput extends RouteBody {
  /** Number of rows cut to shorten the response. */
  readonly cut: number;
  /** The existing values, if nothing was found. */
  readonly hint?: string | undefined;
}

/** The instructions of the MCP server. */
export const HOW_TO_USE = `modelstats keeps a daily record of AI models: who made them, benchmark scores, rankings, prices per provider, and how all of it changed.
Ids are exact and case-sensitive: find them with resolve-model, or list-models with q, and use the id that is returned.
Prices are per million tokens, in the currency beside them. Dates are UTC days. A dash means that a value is not known; nothing is estimated.
Data change once a night, so the same call returns the same data all day; "data as of" is their time.
A call that returns data costs one unit of the organization's daily quota, compare-models one per model; refused calls and get-account cost nothing.
Responses are cut at about 25,000 tokens; a cut one says how to get the rest. Lists have pages: pass next_cursor as cursor, with the same other arguments. A sort with a minus is descending.
Days named after and before are included. A history has the 400 days up to today unless from and to say otherwise; of its filters, benchmark is for the kind score, category for ranking, provider for pricing. The meters of a cost are those of list-prices.`;

/** Most tokens of a response, text and structured content together. */
export const TOKENS_MAX = 25_000;

/**
 * One token: up to six letters, three digits or three other signs. The estimate is 0.88 to 1.25 of the count of the
 * tokenizer o200k_base; a quarter of the characters would be half of it for hashes and dates.
 */
const TOKEN = /\p{L}{1,6}|\p{N}{1,3}|[^\p{L}\p{N}\s]{1,3}/gu;

/** An estimate, because models have different tokenizers. */
export function tokensIn(text: string): number {
  return text.match(TOKEN)?.length ?? 0;
}

export function tokensOf({ text, body }: Found): number {
  return tokensIn(text) + tokensIn(JSON.stringify(body));
}

/**
 * Counts tokens only if there are more characters than tokens allowed.
 * @param characters upper bound of the body's length as JSON; default: its length
 */
export function fits({ text, body }: Found, characters = JSON.stringify(body).length): boolean {
  return text.length + characters <= TOKENS_MAX || tokensOf({ text, body }) <= TOKENS_MAX;
}
