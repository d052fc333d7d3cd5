import { join } from 'node:path';
import { AppError } from '../../../runtime/errors.ts';
import { DATASET_NAMES, DATASETS, type Dataset, type DatasetName } from '../../../schemas/datasets.ts';
import type { SourceFile } from '../../../schemas/release.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { hashFile } from '../../../storage/hash.ts';
import type { DatasetSource, Source } from '../../source/open-source.ts';
import { type ScanLimits, TooMuch, unpackedBytesMax } from '../../source/source-settings.ts';
import { countRows, table } from '../tables.ts';
import { assertRequiredColumns, columnWarnings } from './columns.ts';
import { diagnose } from './diagnose.ts';
import { type NightSource, NO_FILE, upstreamsOf, whyMissing, whyNoFile } from './missing-files.ts';
import { type Relation, relationFromFile } from './relation.ts';
import { assertUnchanged, type ScannedFile, scanFile } from './scan-file.ts';
import { type SelectDeps, type Selected, selectDatasets } from './sql/select-datasets.ts';
import { faultSql, rowRules, typedColumnsSql } from './typed-rows.ts';

/** Parents before children. Scores come last: usually the largest file, scanned while the others are read. */
const READING_ORDER: readonly DatasetName[] = ['models', 'benchmarks', 'rankings', 'pricing', 'scores'];

/** Its rows are in `source_<dataset>`. */
export interface CapturedDataset {
  readonly dataset: DatasetName;
  /** File name, or `source.sql`. */
  readonly origin: string;
  readonly rows: number;
  readonly relation: Relation;
  /** Undefined for a query of `source.sql`. */
  readonly file: (DatasetSource & { readonly scanned: ScannedFile }) | undefined;
}

export interface CapturedFile extends CapturedDataset {
  readonly file: NonNullable<CapturedDataset['file']>;
}

export interface Capture {
  /** In dataset order. */
  readonly datasets: readonly CapturedDataset[];
  /** Why, for each other dataset. */
  readonly uncaptured: ReadonlyMap<DatasetName, string>;
  readonly sourceFiles: readonly SourceFile[];
  readonly warnings: readonly string[];
}

export interface FileDeps {
  readonly database: Database;
  readonly scratch: string;
  readonly limits: ScanLimits;
}

type CaptureDeps = FileDeps & Omit<SelectDeps, 'absent'>;

/**
 * A stage of the night: reads the day's source into typed DuckDB tables, one row per source row, in file order
 * (specification "Stages of a night"). Rejects with `source_rejected` where a whole file is unreadable; bad rows are
 * left to check.
 */
export async function capture(source: NightSource, deps: CaptureDeps): Promise<Capture> {
  const neverFetched = source.absent.map(({ file, carry }) => ({ file, folder: null, columns: {}, ...carry }));
  const off = source.off.map(({ upstream, ...file }) => ({ ...file, off: upstream }));
  const absent = [...neverFetched, ...off];
  const selected = await selectDatasets(source, { ...deps, absent });
  const files = new Map(
    source.datasets
      .filter(({ dataset }) => !selected.has(dataset))
      .map((file) => [file.dataset, scanAhead(file, deps)]),
  );
  const captured = new Map<DatasetName, CapturedDataset>();
  const uncaptured = new Map<DatasetName, string>();
  try {
    for (const name of READING_ORDER) {
      const file = files.get(name);
      const given = selected.get(name);
      const dataset = given
        ? await captureSelected(DATASETS[name], given, { ...deps, source })
        : file && (await captureScanned(DATASETS[name], file, deps));
      if (typeof dataset === 'object') captured.set(name, dataset);
      else {
        assertNotOff(name, source);
        uncaptured.set(name, dataset ?? whyNoFile(name, source.fetched?.files ?? []));
      }
    }
  } finally {
    await Promise.allSettled([...files.values()].map(({ scanning }) => scanning));
  }
  const datasets = DATASET_NAMES.flatMap((name) => captured.get(name) ?? []);
  if (source.fetched?.carries) datasets.forEach(assertUpstreams);
  if (datasets.length === 0) {
    const causes = new Set([...uncaptured.values()].filter((why) => why !== NO_FILE));
    throw new AppError('source_rejected', [...causes, `${source.folder}: nothing could be captured`].join('\n'));
  }
  const warnings = datasets.flatMap(columnWarnings);
  warnings.push(...source.unread.map((name) => `${name}: ignored; a file must be named after its dataset`));
  warnings.push(
    ...DATASET_NAMES.flatMap((name) => {
      const why = uncaptured.get(name);
      return why === undefined ? [] : [`${name}: ${why}; its records are carried`];
    }),
  );
  return { datasets, uncaptured, sourceFiles: await sourceFiles(source, datasets), warnings };
}

/** Not captured, a dataset would keep the records of an upstream that is off. */
function assertNotOff(dataset: DatasetName, { off }: Source): void {
  const own = off.find(({ file }) => file.startsWith(`${dataset}.`));
  if (own === undefined) return;
  throw new AppError(
    'source_rejected',
    `${dataset}: ${own.file} of ${own.upstream} is off, so its records would stay; put an empty ${dataset}.jsonl beside source.json`,
  );
}

interface ScannedAhead {
  readonly file: DatasetSource;
  readonly scanning: Promise<ScannedFile>;
}

/** Scanning takes one core and no DuckDB. A failure surfaces when the file is read. */
function scanAhead(file: DatasetSource, { scratch, limits }: FileDeps): ScannedAhead {
  const scanning = scanFile(file, join(scratch, `${file.dataset}.${file.format}`), limits);
  scanning.catch(() => undefined);
  return { file, scanning };
}

/** Reads one file into `source_<dataset>`, in file order; errors as in {@link capture}. */
export function captureFile(dataset: Dataset, file: DatasetSource, deps: FileDeps): Promise<CapturedFile> {
  return captureScanned(dataset, scanAhead(file, deps), deps);
}

async function captureScanned(
  dataset: Dataset,
  { file, scanning }: ScannedAhead,
  deps: FileDeps,
): Promise<CapturedFile> {
  const scanned = await scanning;
  try {
    const relation = await relationFromFile(deps.database, dataset, file, {
      path: scanned.path,
      lineBytesMax: deps.limits.lineBytesMax,
    });
    assertRequiredColumns(dataset, file.name, relation);
    const bytesMax = unpackedBytesMax(scanned.bytes, deps.limits);
    const rows = await readRows(dataset, relation, {
      database: deps.database,
      rowsMax: deps.limits.rowsMax,
      isCounted: file.format === 'jsonl' || file.format === 'csv',
      bytesMax,
    });
    await assertUnchanged(file, scanned);
    return { dataset: file.dataset, origin: file.name, rows, relation, file: { ...file, scanned } };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (cause instanceof TooMuch) throw new AppError('source_rejected', `${file.name}: ${cause.message}`, { cause });
    await assertUnchanged(file, scanned);
    throw await diagnose(file, scanned.path, cause);
  }
}

/** The rows of a SELECT of `source.sql`, or why it has none. */
async function captureSelected(
  dataset: Dataset,
  given: Selected,
  { source, ...deps }: CaptureDeps & { readonly source: NightSource },
): Promise<CapturedDataset | string> {
  if ('missing' in given) return whyMissing(given.missing, source.fetched?.files ?? [], source.absent);
  assertRequiredColumns(dataset, 'source.sql', given);
  const { rowsMax, fileBytesMax } = deps.limits;
  // The staged rows share memory with the table built from them.
  const bytesMax = fileBytesMax + (given.staged?.bytes ?? 0);
  const rows = await readRows(dataset, given, { database: deps.database, rowsMax, isCounted: true, bytesMax });
  if (rows === 0 && source.absent.length > 0) {
    // A dataset that only absent files fill is unknown, not empty.
    await deps.database.run(`DROP TABLE ${table('source', dataset.name)}; DETACH staged_${dataset.name}`);
    return `its SELECT returns no rows without ${upstreamsOf(source.absent).join(', ')}`;
  }
  return { dataset: dataset.name, origin: 'source.sql', rows, relation: given, file: undefined };
}

interface ReadDeps {
  readonly database: Database;
  readonly rowsMax: number;
  /** True where rows were counted before. For a LIMIT, DuckDB uses one core only. */
  readonly isCounted: boolean;
  /** How much the database may grow. */
  readonly bytesMax: number;
}

/** Rowids follow file order; `fault` has a bit for each broken rule. Throws {@link TooMuch} past a limit. */
async function readRows(dataset: Dataset, relation: Relation, deps: ReadDeps): Promise<number> {
  const { database, rowsMax, isCounted, bytesMax } = deps;
  const raw = dataset.columns.map(({ name }) => `${name} AS raw_${name}`).join(', ');
  const names = dataset.columns.map(({ name }) => name).join(', ');
  const sql = `
    CREATE TABLE ${table('source', dataset.name)} AS
    SELECT ${names}, ${faultSql(rowRules(dataset))} AS fault
    FROM (SELECT *, ${typedColumnsSql(dataset)} FROM (SELECT ${raw} FROM (${relation.sql} ${isCounted ? '' : `LIMIT ${rowsMax + 1}`})))`;
  const isWithin = await database.runWithin(sql, { parameters: relation.parameters, bytesMax });
  if (!isWithin) throw new TooMuch(`has rows of more than ${bytesMax} bytes`);
  const rows = await countRows(database, table('source', dataset.name));
  if (rows > rowsMax) throw new TooMuch(`has more than ${rowsMax} rows`);
  return rows;
}

/** Every day, so that a recipe doesn't first fail on the day an upstream fails. */
function assertUpstreams({ dataset, origin, relation }: CapturedDataset): void {
  if (relation.staged?.upstreamSql !== undefined) return;
  throw new AppError(
    'source_rejected',
    `${origin} (${dataset}): the column upstream is missing; it must name the upstreams of each row because a fetched file has carry`,
  );
}

async function sourceFiles(source: Source, datasets: readonly CapturedDataset[]): Promise<readonly SourceFile[]> {
  const files = datasets.flatMap(({ file }) =>
    file === undefined
      ? []
      : [{ name: file.name, dataset: file.dataset, bytes: file.scanned.bytes, sha256: file.scanned.sha256 }],
  );
  const { sqlPath, aliases } = source;
  const names =
    aliases === undefined ? [] : [{ name: aliases.name, dataset: null, bytes: aliases.bytes, sha256: aliases.sha256 }];
  if (sqlPath === undefined) return [...files, ...names];
  return [...files, { name: 'source.sql', dataset: null, ...(await hashFile(sqlPath)) }, ...names];
}
