import type { Day } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { storedColumns } from '../../../schemas/record-versions.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { columnDefinitions } from '../../../storage/duckdb/record-sql.ts';
import type { SourceSettings } from '../../source/source-settings.ts';
import type { Capture } from '../capture/capture.ts';
import { failedUpstreams, type NightSource } from '../capture/missing-files.ts';
import { table } from '../tables.ts';
import { createIssues, describeReason, type Issue, listIssues, reasonsOf } from './issues.ts';
import { checkReferences, UNKNOWN_PARENT } from './references.ts';
import { checkRows, setAsideSharedIds } from './rows.ts';
import { checkSuspects, type SuspectCheck } from './suspects.ts';
import { countUpstreamRows, type UpstreamRows } from './upstreams.ts';

export type Counts = Readonly<Record<DatasetName, number>>;

/** Records before and after a night, and those deleted. */
export interface RecordCounts {
  readonly previousRecords: Counts;
  readonly records: Counts;
  readonly deleted: Counts;
}

export interface Check {
  readonly issues: readonly Issue[];
  /** Of the source. */
  readonly rows: Counts;
  readonly quarantined: Counts;
  /** Rows whose model or benchmark was removed. */
  readonly orphans: Counts;
  /** Keys of rows of upstreams that failed today; their records are carried. */
  readonly stale: Counts;
  readonly upstreamRows: UpstreamRows;
  readonly suspects: SuspectCheck;
  /** Datasets with an unreadable key: their absent records are carried. */
  readonly withheld: ReadonlySet<DatasetName>;
  readonly warnings: readonly string[];
}

export interface CheckInput {
  readonly day: Day;
  readonly captured: Capture;
  readonly source: NightSource;
  readonly acceptSuspects: readonly string[];
  /** The version in force. */
  readonly version: RecordVersion;
}

/**
 * A stage of the night: checks rows against rules, keys and references, and prices for suspects (specification "Bad
 * rows"). Bad rows are set aside and reported together; see {@link assertFewBadRows}.
 */
export async function check(input: CheckInput, { database }: { readonly database: Database }): Promise<Check> {
  const { day, captured: capture, source, version } = input;
  const { settings } = source;
  const carried = failedUpstreams(source.fetched, source.absent);
  await createIssues(database);
  const counts = emptyCounts();
  const rows = emptyCounts();
  const stale = emptyCounts();
  const withheld = new Set<DatasetName>();
  const ofRows: string[] = [];
  const listed = settings.upstreams.map(({ id }) => id);
  const upstreamRows = await countUpstreamRows(database, capture, { listed, carried });
  for (const name of DATASET_NAMES) {
    const captured = capture.datasets.find(({ dataset }) => dataset === name);
    if (captured === undefined) {
      await createUncaptured(database, name);
      continue;
    }
    rows[name] = captured.rows;
    const rowCheck = await checkRows(database, captured, { version, carried });
    stale[name] = rowCheck.stale;
    counts[name] = rowCheck.bad;
    ofRows.push(...rowCheck.warnings);
    if (rowCheck.withhold) withheld.add(name);
  }
  const captured = new Set(capture.datasets.map(({ dataset }) => dataset));
  const references = await checkReferences(database, { day, captured, withheld });
  for (const name of DATASET_NAMES) {
    counts[name] += references.dangling[name] + (await setAsideSharedIds(database, name));
  }
  const suspects = await checkSuspects(database, {
    day,
    captured: captured.has('pricing'),
    hasRates: storedColumns('pricing', version).some(({ name }) => name === 'rates'),
    settings,
    accept: input.acceptSuspects,
  });
  const issues = await listIssues(database, capture.datasets);
  const warnings = [
    ...ofRows,
    ...[...withheld].map((name) => `${name}: a bad row's key can't be read, so nothing was deleted today`),
    ...suspects.unknownAccepts.map((id) => `no suspect ${id} is pending`),
  ];
  const { orphans } = references;
  return { issues, rows, quarantined: counts, orphans, stale, upstreamRows, suspects, withheld, warnings };
}

export function emptyCounts(): Record<DatasetName, number> {
  return { models: 0, benchmarks: 0, scores: 0, rankings: 0, pricing: 0 };
}

async function createUncaptured(database: Database, name: DatasetName): Promise<void> {
  const columns = columnDefinitions(DATASETS[name]);
  await database.run(`CREATE TABLE ${table('captured', name)} (${columns})`);
  await database.run(`CREATE TABLE ${table('aside', name)} AS SELECT ${DATASETS[name].key.join(', ')}
    FROM ${table('captured', name)}`);
}

/** Per dataset. */
const REASONS_SHOWN_MAX = 3;

/**
 * Throws `source_rejected` where a dataset has more bad rows than allowed, with the most frequent reasons.
 * `max_bad_rows` never admits a mostly bad dataset. A parent dataset that was not captured is named first, as the
 * cause.
 * @param uncaptured why datasets were not captured
 */
export function assertFewBadRows(
  checked: Check,
  settings: SourceSettings,
  uncaptured: Capture['uncaptured'] = new Map(),
): void {
  const bad = DATASET_NAMES.filter((name) => checked.quarantined[name] > allowedRows(checked.rows[name], settings));
  if (bad.length === 0) return;
  const parents = new Set(bad.flatMap((name) => parentsOfBad(name, checked)));
  const causes = [...parents].flatMap((parent) => {
    const why = uncaptured.get(parent);
    return why === undefined ? [] : [`${parent}: not captured: ${why}`];
  });
  const problems = bad.map((name) => describeBad(name, checked, settings));
  throw new AppError('source_rejected', [...causes, ...problems].join('\n'));
}

function allowedRows(rows: number, settings: SourceSettings): number {
  const byNumber = Math.min(settings.max_bad_rows, Math.floor(rows / 2));
  return Math.max(byNumber, Math.floor(settings.max_bad_fraction * rows));
}

/** The datasets that bad rows refer to in vain. */
function parentsOfBad(name: DatasetName, { issues }: Check): readonly DatasetName[] {
  const fields = new Set(
    issues.flatMap((issue) => (issue.dataset === name && issue.reason === UNKNOWN_PARENT ? [issue.field] : [])),
  );
  return DATASETS[name].columns.flatMap((column) =>
    column.references !== undefined && fields.has(column.name) ? [column.references] : [],
  );
}

function describeBad(name: DatasetName, checked: Check, settings: SourceSettings): string {
  const [bad, rows] = [checked.quarantined[name], checked.rows[name]];
  const reasons = reasonsOf(checked.issues.filter(({ dataset, kind }) => dataset === name && kind === 'bad'));
  const shown = reasons.slice(0, REASONS_SHOWN_MAX).map(describeReason);
  const more = reasons.length > shown.length ? [`and for ${reasons.length - shown.length} more reasons`] : [];
  const allowed = allowedRows(rows, settings);
  return `${name}: ${bad} of ${rows} rows are bad, ${allowed} are allowed: ${[...shown, ...more].join('; ')}`;
}
