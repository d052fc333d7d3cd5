/**
 * What the night and the process of `source.sql` say to each other (decision 0039): settings first, which are answered by
 * {@link READY}, then a SELECT at a time, each answered once.
 */
import { z } from 'zod';
import type { DuckDBLimits } from '../../../../storage/duckdb/database.ts';
import type { AbsentFile } from './absent-files.ts';
import type { Section } from './sections.ts';

/** What the SELECTs of one `source.sql` may see and use of the machine. */
export interface SandboxSettings extends DuckDBLimits {
  /** The only folders whose files may be read, absolute; relative paths start at the first. */
  readonly folders: readonly [string, ...string[]];
  /** Where DuckDB spills, absolute; made when needed. */
  readonly spillFolder: string;
  /** Files that the SELECTs find without rows; none unless given. */
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
export const AnswerSchema = z.union([
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
export type Answer = z.infer<typeof AnswerSchema>;
