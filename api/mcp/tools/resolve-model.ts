import { z } from 'zod';
import { ModelSchema } from '../../data/responses/records.ts';
import { modelsRoute } from '../../data/routes/models.ts';
import { RequestInvalid } from '../../server/errors/http-error.ts';
import { argumentProblem, type Body, type Exchange } from '../exchange.ts';
import { cell, MODEL_COLUMNS, type Row, rowsOf, table } from '../table.ts';
import { asOf, lines } from '../tool-text.ts';
import { assertKnownArguments } from './route-tool.ts';
import { argumentsSchema, outputSchemaOf, type Tool } from './tool.ts';

/** Why a model may be meant, best reason first. The second comes from the API's `alias` filter, not from the model. */
export const REASONS = [
  'the id as written',
  'an upstream calls it exactly so',
  'the id, in another case or punctuation',
  'the id without the provider before the slash',
  'the name, in another case or punctuation',
  'every word is in the id, or in the name',
] as const;
export type Reason = (typeof REASONS)[number];

/** The best reason; undefined: none. */
export function findReason(
  written: string,
  { id, name }: { readonly id: string; readonly name: string },
): Reason | undefined {
  if (id === written.trim()) return REASONS[0];
  const plain = plainOf(written);
  if (plain === '') return undefined;
  if (plainOf(id) === plain) return REASONS[2];
  if (plainOf(lastPart(id)) === plainOf(lastPart(written))) return REASONS[3];
  if (plainOf(name) === plain || plainOf(name) === plainOf(lastPart(written))) return REASONS[4];
  const words = wordsOf(lastPart(written));
  return [id, name].some((text) => hasAll(words, text)) ? REASONS[5] : undefined;
}

/** Whether a text has all words in any order: letters anywhere, numbers whole, each as often. */
function hasAll(words: readonly string[], text: string): boolean {
  const plain = plainOf(text);
  const left = [...wordsOf(text)];
  return words.every((word) => {
    if (!/^\p{N}/u.test(word)) return plain.includes(word);
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Letters and digits of any script, in lower case. */
function plainOf(text: string): string {
  return wordsOf(text).join('');
}

/** Runs of letters and runs of digits, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/\p{L}+|\p{N}+/gu) ?? []
  );
}

/** What follows the last slash, before which catalogues put the provider. */
function lastPart(text: string): string {
  const part = text.trim().split('/').at(-1) ?? '';
  return part === '' ? text : part;
}

/** Longest name, in characters: that of the parameter `q`. */
const NAME_LENGTH_MAX = 200;
/** More don't help to choose. */
const CANDIDATES_MAX = 10;
/** Pages searched per word. Smaller: misses models of very common words; larger: slower calls. */
const PAGES_MAX = 5;

const [AS_WRITTEN, EXACT_ALIAS] = REASONS;

const ArgumentsSchema = z.object({
  name: z.string().min(1).max(NAME_LENGTH_MAX).describe('As written'),
});

const FoundSchema = z.object({
  name: z.string().describe('As requested'),
  candidates: z
    .array(z.object({ why: z.enum(REASONS), model: ModelSchema }))
    .describe(`The best first, then by id; ${CANDIDATES_MAX} at most`),
  total: z.int().describe('All candidates'),
});

export const resolveModelTool: Tool = {
  name: 'resolve-model',
  title: 'Find the id of a model',
  description:
    'Finds the exact id of a model from how people write it: "GPT 5.4 mini", "openai/gpt-5.4-mini". Costs a unit also if none is found.',
  access: modelsRoute.access,
  inputSchema: argumentsSchema(ArgumentsSchema),
  outputSchema: outputSchemaOf(FoundSchema),
  call: async (args, exchange) => {
    const written = nameFrom(args);
    const { models, dataAsOf } = await modelsLike(written, exchange);
    const called = await modelsCalled(written, exchange);
    const others = models.filter((model) => !called.some(({ id }) => id === model['id']));
    const found = [...called, ...others].flatMap((model) => {
      const reason = findReason(written, { id: String(model['id']), name: String(model['name']) });
      const why = reason !== AS_WRITTEN && called.includes(model) ? EXACT_ALIAS : reason;
      return why === undefined ? [] : [{ why, model }];
    });
    found.sort((a, b) => REASONS.indexOf(a.why) - REASONS.indexOf(b.why) || compare(a.model, b.model));
    const candidates = found.slice(0, CANDIDATES_MAX);
    const text = textOf(written, { candidates, total: found.length, when: asOf(dataAsOf) });
    return { text, body: { name: written, candidates, total: found.length } };
  },
};

/** Throws RequestInvalid. */
function nameFrom(args: Body): string {
  assertKnownArguments(args, ['name']);
  const { success, data } = ArgumentsSchema.safeParse(args);
  if (success && wordsOf(data.name).length > 0) return data.name;
  const msg = `Input should be a text of 1 to ${NAME_LENGTH_MAX} characters with letters or digits`;
  throw new RequestInvalid([argumentProblem('name', args['name'], { msg, type: 'value_error' })]);
}

/** The models with this exact alias or id. */
async function modelsCalled(written: string, exchange: Exchange): Promise<readonly Row[]> {
  const query = { alias: written.trim(), limit: '200' };
  return rowsOf((await exchange.fetchFree(modelsRoute, { query })).body, 'models');
}

/** The models whose id, name or alias contains the longest word. */
async function modelsLike(written: string, exchange: Exchange) {
  const [q = ''] = [...wordsOf(lastPart(written))].sort((a, b) => b.length - a.length);
  const first = await exchange.fetch(modelsRoute, { query: { q, limit: '200' } });
  const models = [...rowsOf(first.body, 'models')];
  let cursor = first.body['next_cursor'];
  for (let page = 1; page < PAGES_MAX && typeof cursor === 'string'; page += 1) {
    const { body } = await exchange.fetchFree(modelsRoute, { query: { q, limit: '200', cursor } });
    models.push(...rowsOf(body, 'models'));
    cursor = body['next_cursor'];
  }
  return { models, dataAsOf: first.dataAsOf };
}

function compare(a: Row, b: Row): number {
  return String(a['id']) < String(b['id']) ? -1 : 1;
}

interface Shown {
  readonly candidates: readonly { readonly why: string; readonly model: Row }[];
  readonly total: number;
  readonly when: string;
}

function textOf(written: string, { candidates, total, when }: Shown): string {
  if (candidates.length === 0) {
    return `No model matches ${cell(written)}${when}. Try fewer words, or list-models with q as part of the name.`;
  }
  const rows = candidates.map(({ why, model }) => ({ ...model, why }));
  return lines(
    `${candidates.length} of ${total} candidates for ${cell(written)}${when}, the best first.`,
    table({ ...MODEL_COLUMNS, why: 'why' }, rows),
    'Use the id exactly as shown: ids are case-sensitive.',
  );
}
