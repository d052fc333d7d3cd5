/**
 * What the night and the process of `source.sql` say to each other (decision 0039): settings first, which are answered by
 * {@link READY}, then a SELECT at a time, each answered once.
 */
import { z } from 'zod';
import { AppError } from '../../../../runtime/errors.ts';
import { DATASET_NAMES, type DatasetName } from '../../../../schemas/datasets.ts';
import type { DuckDBLimits } from '../../../../storage/duckdb/database.ts';
import { readText } from '../../../source/source-folder.ts';

/** A file that no fetch has ever brought: the SELECTs find it without rows. */
export interface AbsentFile {
  /** Its path below the day's folder. */
  readonly file: string;
  /** The folder of a zip file; null for any other. */
  readonly folder: string | null;
  /** Its columns with their types, as far as the recipe says them. */
  readonly columns: Readonly<Record<string, string>>;
}

/** What the SELECTs of one `source.sql` may see and use of the machine. */
export interface SandboxSettings extends DuckDBLimits {
  /** The only folders whose files may be read, absolute; relative paths start at the first. */
  readonly folders: readonly [string, ...string[]];
  /** Where DuckDB spills, absolute; made when needed. */
  readonly spillFolder: string;
  readonly absent?: readonly AbsentFile[];
  /** What may be spilled to the disk. */
  readonly spillBytesMax: number;
}

/** Where the rows of a SELECT go, and how many there may be. */
export interface StagedFile {
  /** A new DuckDB file; its table `staged` has the columns `c0`, `c1`, … */
  readonly path: string;
  readonly rowsMax: number;
  /** All rows together, as DuckDB holds them. */
  readonly bytesMax: number;
}

export interface SelectOrder {
  readonly section: Section;
  readonly staged: StagedFile;
}

export type Order = { readonly settings: SandboxSettings } | { readonly select: SelectOrder };

/** The columns of a SELECT's rows: names as DuckDB gives them, types as SQL. */
const ColumnsSchema = z.object({ names: z.array(z.string()), types: z.array(z.string()) });
export type SelectColumns = z.infer<typeof ColumnsSchema>;

export const READY = { ready: true } as const;

/** How a SELECT ended. */
export const ResponseSchema = z.union([
  z.object({ ready: z.literal(true) }),
  /** Its rows are in the file. */
  z.object({ columns: ColumnsSchema }),
  /** A file that it names isn't there: its path, or the pattern that none matches. */
  z.object({ missing: z.string() }),
  /** By its own fault; the message names file and line. */
  z.object({ rejected: z.string() }),
  /** By the machine's fault, or ours. */
  z.object({ failed: z.string() }),
]);
export type Answer = z.infer<typeof ResponseSchema>;

/** The part of `source.sql` under the heading of one dataset. */
export interface Section {
  readonly path: string;
  readonly dataset: DatasetName;
  /** Of the heading, 1-based. */
  readonly line: number;
  readonly sql: string;
}

/** Far above any that people write; parsing more takes a night's memory. */
const SQL_BYTES_MAX = 1 << 20;

const HEADING = new RegExp(`^--\\s*(?:name:|dataset:)?\\s*(${DATASET_NAMES.join('|')})\\s*$`, 'i');

/** For people: how a `source.sql` looks. */
export const HEADING_HINT = `put each SELECT under a comment line with its dataset: ${DATASET_NAMES.map((name) => `-- ${name}`).join(', ')}`;

/** Reads `source.sql` and divides it by its headings; rejects with `source_rejected`, naming file and line. */
export async function loadSections(path: string): Promise<readonly Section[]> {
  const sections = sectionsFromSql(path, await readText(path, SQL_BYTES_MAX));
  for (const [index, section] of sections.entries()) {
    const isRepeated = sections.slice(0, index).some(({ dataset }) => dataset === section.dataset);
    if (isRepeated) throw rejectedSection(section, `${section.dataset} stands twice`);
  }
  if (sections.length === 0) throw new AppError('source_rejected', `${path} maps no dataset: ${HEADING_HINT}`);
  return sections;
}

/** @param lines behind the heading at which the fault is, 0 where that isn't known */
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
