/**
 * A source's table of names: which upstream name is which model (specification "Names of models"; decision 0075). It is
 * read and checked before anything else, and published with the release as checked.
 */
import { basename } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { findIdProblem } from '../../schemas/change.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { sha256 } from '../../storage/hash.ts';
import { readText } from './source-folder.ts';

export interface AliasTable {
  /** The file's name; size and hash as read. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** By upstream and id, each once. */
  readonly aliases: readonly Alias[];
}

/** Far above any file written by hand; the table is in memory for a night. */
const BYTES_MAX = 16 << 20;
/** Problems listed one by one. */
const PROBLEMS_MAX = 20;

/**
 * @param upstreams ids of the source's upstreams
 * @throws AppError `source_rejected` with the file's path, each wrong line and why
 */
export async function loadAliasTable(path: string, upstreams: readonly string[]): Promise<AliasTable> {
  const text = await readText(path, BYTES_MAX);
  const { aliases, problems } = parseAliases(text, upstreams);
  if (problems.length > 0) throw new AppError('source_rejected', describeProblems(path, problems));
  const bytes = Buffer.from(text, 'utf8');
  return { name: basename(path), bytes: bytes.length, sha256: sha256(bytes), aliases };
}

function describeProblems(path: string, problems: readonly string[]): string {
  const shown = problems.slice(0, PROBLEMS_MAX).map((problem) => `${path}: ${problem}`);
  const more = problems.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`${path}: ${more} more problems`])].join('\n');
}

/** An upstream's name for a model. */
export interface Alias {
  readonly upstream: string;
  readonly id: string;
  readonly model_id: string;
}

/** The aliases in line order, or the problems in line order, each with its line. */
export interface ParsedAliases {
  readonly aliases: readonly Alias[];
  readonly problems: readonly string[];
}

/** The upstream whose ids the models have without a prefix. */
export const SPINE = 'models-dev';

const HEADER = 'upstream,id,model_id';

/** A hundred times what the public upstreams need today. More costs nights and views memory and time. */
export const ALIASES_MAX = 100_000;

interface Line {
  readonly number: number;
  readonly alias: Alias;
}

interface Problem {
  readonly number: number;
  readonly what: string;
}

/**
 * Parses and checks a table of names, CSV with a header (specification "Names of models").
 * @param upstreams allowed ids
 */
export function parseAliases(text: string, upstreams: readonly string[]): ParsedAliases {
  const [header, ...rest] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (header !== HEADER) return { aliases: [], problems: [`line 1: must be the header ${HEADER}`] };
  const written = rest.flatMap((line, index) => (line === '' ? [] : [{ number: index + 2, fields: fieldsOf(line) }]));
  if (written.length > ALIASES_MAX) return { aliases: [], problems: [`has more than ${ALIASES_MAX} names`] };
  const lines = written.flatMap(({ number, fields }) => (fields === undefined ? [] : [{ number, alias: fields }]));
  const problems = [
    ...written.flatMap(({ number, fields }) => (fields === undefined ? [{ number, what: `must be ${HEADER}` }] : [])),
    ...lines.flatMap((line) => findFieldProblems(line, upstreams)),
    ...findRepeats(lines),
    ...findChains(lines),
  ].sort((a, b) => a.number - b.number);
  return {
    aliases: problems.length === 0 ? lines.map(({ alias }) => alias) : [],
    problems: problems.map(({ number, what }) => `line ${number}: ${what}`),
  };
}

/** A field is text without quotes and commas, or in quotes, where two quotes mean one. */
const LINE = /^("(?:[^"]|"")*"|[^",]*),("(?:[^"]|"")*"|[^",]*),("(?:[^"]|"")*"|[^",]*)$/;

/** Undefined where the line hasn't three fields. */
function fieldsOf(line: string): Alias | undefined {
  const [, upstream, id, model] = LINE.exec(line) ?? [];
  if (upstream === undefined || id === undefined || model === undefined) return undefined;
  return { upstream: unquoted(upstream), id: unquoted(id), model_id: unquoted(model) };
}

function unquoted(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}

function findFieldProblems({ number, alias }: Line, upstreams: readonly string[]): readonly Problem[] {
  const problems = (['id', 'model_id'] as const).flatMap((name) => {
    const problem = findIdProblem(alias[name]);
    return problem === undefined ? [] : [{ number, what: `${name} ${problem}` }];
  });
  if (upstreams.includes(alias.upstream)) return problems;
  return [{ number, what: `${quoted(alias.upstream)} is not an id in upstreams` }, ...problems];
}

/** An upstream's name that appears twice, even for the same model. */
function findRepeats(lines: readonly Line[]): readonly Problem[] {
  const first = new Map<string, number>();
  return lines.flatMap(({ number, alias: { upstream, id } }) => {
    const name = JSON.stringify([upstream, id]);
    const before = first.get(name);
    if (before === undefined) first.set(name, number);
    return before === undefined ? [] : [{ number, what: `${quoted(id)} of ${upstream} is already in line ${before}` }];
  });
}

/** A model that is itself an alias at the {@link SPINE}: it would never be found. */
function findChains(lines: readonly Line[]): readonly Problem[] {
  const spine = new Map(lines.flatMap(({ number, alias }) => (alias.upstream === SPINE ? [[alias.id, number]] : [])));
  return lines.flatMap(({ number, alias: { model_id: model } }) => {
    const other = spine.get(model);
    return other === undefined
      ? []
      : [{ number, what: `the model ${quoted(model)} is itself an alias, in line ${other}` }];
  });
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.csv$/;

/** A file beside `source.json` or in the day's folder (specification "Names of models"). */
export const AliasFileSchema = z
  .string()
  .regex(NAME, 'must be the name of a CSV file, such as aliases.csv')
  .refine((name) => !DATASET_NAMES.some((dataset) => name === `${dataset}.csv`), 'is the name of a dataset');
