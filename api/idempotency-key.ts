import type { FastifyRequest } from 'fastify';
import type { Problem } from './validation.ts';

/** Longest `Idempotency-Key`, in characters (SPEC "Other constants"). */
const IDEMPOTENCY_KEY_LENGTH_MAX = 128;

/** What is wrong with the `Idempotency-Key` of a request; none is fine. */
export function findHeaderProblems({ headers }: Pick<FastifyRequest, 'headers'>): readonly Problem[] {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return [];
  const told = { loc: ['header', 'Idempotency-Key'], input: key };
  const max = IDEMPOTENCY_KEY_LENGTH_MAX;
  if (key === '') {
    return [
      { ...told, msg: 'String should have at least 1 character', type: 'string_too_short', ctx: { min_length: 1 } },
    ];
  }
  if (key.length <= max) return [];
  const msg = `String should have at most ${max} characters`;
  return [{ ...told, msg, type: 'string_too_long', ctx: { max_length: max } }];
}
