/**
 * Messages between the night and the `source.sql` process (decision 0039): the settings, confirmed by {@link READY},
 * then one SELECT at a time, each with one response.
 */
import { z } from 'zod';
import { AppError } from '../../../../runtime/errors.ts';
import { DATASET_NAMES, type DatasetName } from '../../../../schemas/datasets.ts';
import type { DuckDBLimits } from '../../../../storage/duckdb/database.ts';
import { readText } from '../../../source/source-folder.ts';

/** SELECTs read it as empty: no fetch has ever brought it, or its upstream is off. */
export interface AbsentFile {
  readonly file: string;
  /** The folder of a zip file; null for any other. */
  readonly folder: string | null;
  /** Column types, as far as the recipe lists them. */
  readonly columns: Readonly<Record<string, string>>;
  /** The upstream, if it is off; the day may then have the file. */
  readonly off?: string;
}

export interface SandboxSettings extends DuckDBLimits {
  /** The only readable folders, absolute; relative paths start at the first. */
  readonly folders: readonly [string, ...string[]];
  /** Where DuckDB spills, absolute. */
  readonly spillFolder: string;
  readonly absent?: readonly AbsentFile[];
  readonly spillBytesMax: number;
}

export interface StagedFile {
  /** A new DuckDB file with the table `staged`, columns `c0`, `c1`, … */
  readonly path: string;
  readonly rowsMax: number;
  readonly bytesMax: number;
}

export interface SelectOrder {
  readonly section: Section;
  readonly staged: StagedFile;
}

export type Order = { readonly settings: SandboxSettings } | { readonly select: SelectOrder };

/** Names as DuckDB gives them, types as SQL. */
const ColumnsSchema = z.object({ names: z.array(z.string()), types: z.array(z.string()) });
export type SelectColumns = z.infer<typeof ColumnsSchema>;

export const READY = { ready: true } as const;

export const ResponseSchema = z.union([
  z.object({ ready: z.literal(true) }),
  /** The rows are in the file. */
  z.object({ columns: ColumnsSchema }),
  /** A file, or a pattern that no file matches. */
  z.object({ missing: z.string() }),
  /** The SELECT's own fault; the message names file and line. */
  z.object({ rejected: z.string() }),
  /** The machine's fault, or ours. */
  z.object({ failed: z.string() }),
]);
export type SandboxResponse = z.infer<typeof ResponseSchema>;

/** The part of `source.sql` under one dataset's heading. */
export interface Section {
  readonly path: string;
  readonly dataset: DatasetName;
  /** Of the heading, 1-based. */
  readonly line: number;
  readonly sql: string;
}

/** Far above any file written by hand; parsing more uses up a night's memory. */
const SQL_BYTES_MAX = 1 << 20;

const HEADING = new RegExp(`^--\\s*(?:name:|dataset:)?\\s*(${DATASET_NAMES.join('|')})\\s*$`, 'i');

export const HEADING_HINT = `put each SELECT under a comment line with its dataset: ${DATASET_NAMES.map((name) => `-- ${name}`).join(', ')}`;

/** Rejects with `source_rejected`, naming file and line. */
export async function loadSections(path: string): Promise<readonly Section[]> {
  const sections = sectionsFromSql(path, await readText(path, SQL_BYTES_MAX));
  for (const [index, section] of sections.entries()) {
    const isRepeated = sections.slice(0, index).some(({ dataset }) => dataset === section.dataset);
    if (isRepeated) throw rejectedSection(section, `${section.dataset} appears twice`);
  }
  if (sections.length === 0) throw new AppError('source_rejected', `${path} maps no dataset: ${HEADING_HINT}`);
  return sections;
}

/** @param lines from the heading to the fault, 0 where unknown */
export function rejectedSection(section: Section, reason: string, lines = 0, cause?: unknown): AppError {
  const place = `${section.path} line ${section.line + lines} (${section.dataset})`;
  return new AppError('source_rejected', `${place}: ${reason}`, { cause });
}

function sectionsFromSql(path: string, text: string): readonly Section[] {
  const lines = text.split(/\r?\n/);
  const starts = lines.flatMap((line, index) => {
    const dataset = DATASET_NAMES.find((name) => name === HEADING.exec(line.trim())?.[1]?.toLowerCase());
    return dataset === undefined ? [] : [{ dataset, index }];
  });
  return starts.map(({ dataset, index }, place) => ({
    path,
    dataset,
    line: index + 1,
    sql: lines.slice(index + 1, starts[place + 1]?.index).join('\n'),
  }));
}
