import type { Found } from './told.ts';

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
