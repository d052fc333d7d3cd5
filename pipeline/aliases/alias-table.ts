/**
 * The table of names that a source keeps: which name of which upstream is which model (specification "Names of models"; decision
 * 0075). It is read as a whole, checked before anything else is done, and goes into the release as it was checked.
 */
import { basename } from 'node:path';
import { AppError } from '../../runtime/errors.ts';
import { sha256 } from '../../storage/hash.ts';
import { readText } from '../source/read-text.ts';
import { type Alias, parseAliases } from './parse-aliases.ts';

/** A checked table. */
export interface AliasTable {
  /** The file's name, and what it was when it was read. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** By upstream and id, each once. */
  readonly aliases: readonly Alias[];
}

/** Far above what people keep by hand; as much as this is in memory for a night. */
const BYTES_MAX = 16 << 20;
/** Problems that are told one by one. */
const PROBLEMS_MAX = 20;

/**
 * Reads and checks a table.
 *
 * @param upstreams the ids of the source's upstreams
 * @throws AppError `source_rejected` with every line that is wrong, and why, below the file's path
 */
export async function loadAliasTable(path: string, upstreams: readonly string[]): Promise<AliasTable> {
  const text = await readText(path, BYTES_MAX);
  const { aliases, problems } = parseAliases(text, upstreams);
  if (problems.length > 0) throw new AppError('source_rejected', describeProblems(path, problems));
  const bytes = Buffer.from(text, 'utf8');
  return { name: basename(path), bytes: bytes.length, sha256: sha256(bytes), aliases };
}

function describeProblems(path: string, problems: readonly string[]): string {
  const told = problems.slice(0, PROBLEMS_MAX).map((problem) => `${path}: ${problem}`);
  const more = problems.length - told.length;
  return [...told, ...(more === 0 ? [] : [`${path}: ${more} more problems`])].join('\n');
}
