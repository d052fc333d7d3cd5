import type { Found } from './telling.ts';

/** Characters that count as one token. English and JSON have some four; there is no one tokenizer that all models share. */
export const TOKEN_CHARACTERS = 4;

/** The most that an answer may be, text and structured content together. */
export const TOKENS_MAX = 25_000;

/** How many tokens an answer is, text and structured content together, as an estimate. */
export function tokensOf({ text, body }: Found): number {
  return Math.ceil((text.length + JSON.stringify(body).length) / TOKEN_CHARACTERS);
}
