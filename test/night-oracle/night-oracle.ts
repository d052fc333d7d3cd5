/**
 * An independent oracle of the night: what a day must publish, in plain Maps and loops, for comparison with the real
 * pipeline. It follows specification "Data" and "The night" sentence by sentence and shares no code with the pipeline but
 * the column table.
 *
 *   read rows → set aside bad ones → references → shared ids → suspects → who is in force → settle each record → guard → events
 */
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import { canonicalLine, entityId, publishedRecord, sortByKey } from './canonical.ts';
import {
  type CapturedFile,
  parentsOf,
  readFile,
  setAsideBrokenReferences,
  setAsideSharedIds,
  setAsideSuspects,
} from './checks.ts';
import { oracleColumns } from './columns.ts';
import type { Value, Values } from './row-rules.ts';
import {
  type ClosedInterval,
  EMPTY_STATE,
  type OracleDay,
  type OracleEvent,
  type OracleNight,
  type OracleRecord,
  type OracleState,
  type PendingSuspect,
  type PerDataset,
  perDataset,
} from './state.ts';

const BAD_FRACTION_MAX = 0.01;
const BAD_ROWS_ALWAYS_ALLOWED = 10;
const SHRINK_MAX = 0.3;
const UNNOTICED_PART = 0.04;
const UNNOTICED_RECORDS = 10;
const USUAL_NIGHTS = 30;
const USUAL_NIGHTS_MIN = 10;
const USUAL_SPREADS = 6;
const SUSPECT_FRACTION_MAX = 0.2;
const DELETE_ORDER = ['pricing', 'rankings', 'scores', 'models'] as const;
const UPSERT_ORDER = ['models', 'scores', 'rankings', 'pricing'] as const;

/** Today's rows, sorted out: which count, and which records are in force after the night. */
interface Checked {
  readonly files: PerDataset<CapturedFile | undefined>;
  readonly inForce: PerDataset<Set<string>>;
  readonly quarantined: DatasetName[];
  readonly pending: Map<string, PendingSuspect>;
}

/** What becomes of one dataset's records. */
interface Settled {
  readonly records: ReadonlyMap<string, OracleRecord>;
  readonly deleted: readonly OracleRecord[];
  readonly upserted: readonly OracleRecord[];
  readonly closed: readonly ClosedInterval[];
}

export function oracleNight(previous: OracleState | undefined, today: OracleDay): OracleNight {
  const before = previous ?? EMPTY_STATE;
  const { day } = today;
  if (day <= before.day) throw new Error(`${day} does not come after ${before.day}`);

  const checked = checkRows(before, today);
  const { files, inForce, quarantined, pending } = checked;
  fillInModelCounts(files, inForce.scores, before);
  const settled = perDataset((dataset) => settle(dataset, checked, before, today));

  const isHeld = today.accept !== true && mustBeHeld(checked, before, settled);
  if (isHeld || mustBeRejected(checked)) {
    const verdict = mustBeRejected(checked) ? 'rejected' : 'held';
    return { verdict, quarantined, state: before, events: [], lines: snapshotLines(before), closed: [] };
  }
  const events = numberEvents(before.lastSeq, day, settled);
  const state: OracleState = {
    day,
    lastSeq: before.lastSeq + events.length,
    records: perDataset((dataset) => settled[dataset].records),
    lastCaptured: perDataset((dataset) => (files[dataset] === undefined ? before.lastCaptured[dataset] : day)),
    known: perDataset((dataset) => new Set([...before.known[dataset], ...inForce[dataset]])),
    pending,
    counts: perDataset((dataset) =>
      files[dataset] === undefined
        ? before.counts[dataset]
        : [...before.counts[dataset], settled[dataset].records.size],
    ),
  };
  const closed = DATASET_NAMES.flatMap((dataset) => settled[dataset].closed);
  return { verdict: 'published', quarantined, state, events, lines: snapshotLines(state), closed };
}

/** Parents come first in DATASET_NAMES, so a child's references are checked against what is in force after the night. */
function checkRows(before: OracleState, today: OracleDay): Checked {
  const quarantined: DatasetName[] = [];
  const pending = new Map<string, PendingSuspect>();
  const files = perDataset((dataset) => readFile(dataset, today.rows[dataset], quarantined));
  const inForce = perDataset(() => new Set<string>());
  for (const dataset of DATASET_NAMES) {
    const file = files[dataset];
    if (file !== undefined) setAsideBrokenReferences(dataset, file, { before, inForce, quarantined });
    if (file !== undefined) setAsideSharedIds(dataset, file, { before, quarantined });
    if (dataset === 'pricing') setAsideSuspects(file, { before, today, inForce, pending });
    for (const id of file?.good.keys() ?? []) inForce[dataset].add(id);
    for (const id of carriedIds(dataset, file, before, inForce)) inForce[dataset].add(id);
  }
  return { files, inForce, quarantined, pending };
}

/** Records that stay in force although no good row of today stands for them. */
function carriedIds(
  dataset: DatasetName,
  file: CapturedFile | undefined,
  before: OracleState,
  inForce: PerDataset<ReadonlySet<string>>,
): string[] {
  return [...before.records[dataset]]
    .filter(([id, { values }]) => isCarried(file, id) && hasParents(dataset, values, inForce))
    .map(([id]) => id);
}

function isCarried(file: CapturedFile | undefined, id: string): boolean {
  if (file === undefined) return true;
  return !file.good.has(id) && (file.setAside.has(id) || file.hasUnreadableKey);
}

function hasParents(dataset: DatasetName, values: Values, inForce: PerDataset<ReadonlySet<string>>): boolean {
  return parentsOf(dataset, values).every((parent) => inForce[parent.dataset].has(parent.id));
}

/** A benchmark whose source gives no count has the number of models with a score in force today. */
function fillInModelCounts(
  files: PerDataset<CapturedFile | undefined>,
  scoresInForce: ReadonlySet<string>,
  before: OracleState,
): void {
  const models = new Map<string, Set<string>>();
  for (const id of scoresInForce) {
    const key = files.scores?.good.get(id)?.key ?? before.records.scores.get(id)?.key ?? [];
    const [model = '', benchmark = ''] = key;
    models.set(benchmark, (models.get(benchmark) ?? new Set()).add(model));
  }
  for (const [id, row] of files.benchmarks?.good ?? []) {
    const model_count = row.values['model_count'] ?? models.get(row.key[0] ?? '')?.size ?? 0;
    files.benchmarks?.good.set(id, { ...row, values: { ...row.values, model_count } });
  }
}

function settle(dataset: DatasetName, { files, inForce }: Checked, before: OracleState, today: OracleDay): Settled {
  const file = files[dataset];
  const records = new Map<string, OracleRecord>();
  const deleted: OracleRecord[] = [];
  const upserted: OracleRecord[] = [];
  const closed: ClosedInterval[] = [];
  const close = ({ key, values, validFrom }: OracleRecord): void => {
    const validTo = before.lastCaptured[dataset];
    if (validFrom !== null && validTo !== undefined) closed.push({ dataset, key, values, validFrom, validTo });
  };

  for (const [id, old] of before.records[dataset]) {
    if (!inForce[dataset].has(id)) {
      close(old);
      deleted.push(old);
    } else if (file === undefined) {
      records.set(id, old);
    } else if (!file.good.has(id)) {
      close(old);
      records.set(id, { ...old, validFrom: null });
    }
  }
  for (const [id, { key, values }] of file?.good ?? []) {
    const old = before.records[dataset].get(id);
    if (old !== undefined && isSameContent(dataset, old.values, values)) {
      records.set(id, { ...old, validFrom: old.validFrom ?? today.day });
      continue;
    }
    if (old !== undefined) close(old);
    const updated_at = updatedAt(values['updated_at'], old?.values['updated_at'], today.capturedAt);
    const record = { key, values: { ...values, updated_at }, validFrom: today.day };
    records.set(id, record);
    upserted.push(record);
  }
  return { records, deleted, upserted, closed };
}

/** All captured columns but the key and the time stamp. */
function isSameContent(dataset: DatasetName, a: Values, b: Values): boolean {
  return oracleColumns(dataset).every(
    ({ name }) => name === 'updated_at' || JSON.stringify(a[name]) === JSON.stringify(b[name]),
  );
}

/** The source's time where it lies after the old record's and not after the capture, else the capture's. */
function updatedAt(given: Value | undefined, old: Value | undefined, capturedAt: string): string {
  const captureMs = Date.parse(capturedAt);
  const oldMs = typeof old === 'string' ? Date.parse(old) : Number.NEGATIVE_INFINITY;
  const isUsable = typeof given === 'string' && Date.parse(given) > oldMs && Date.parse(given) <= captureMs;
  return isUsable ? given : new Date(captureMs).toISOString().replace('.000Z', 'Z');
}

function mustBeRejected({ files, quarantined }: Checked): boolean {
  return DATASET_NAMES.some((dataset) => {
    const bad = quarantined.filter((name) => name === dataset).length;
    const rows = files[dataset]?.rowCount ?? 0;
    const always = Math.min(BAD_ROWS_ALWAYS_ALLOWED, Math.floor(rows / 2));
    return bad > Math.max(always, Math.floor(BAD_FRACTION_MAX * rows));
  });
}

function mustBeHeld({ files, pending }: Checked, before: OracleState, settled: PerDataset<Settled>): boolean {
  const isShrunk = DATASET_NAMES.some((dataset) => {
    const [lost, had] = [settled[dataset].deleted.length, before.records[dataset].size];
    if (lost > 0 && (lost === had || lost / had > SHRINK_MAX)) return true;
    return isUnusual(had - settled[dataset].records.size, had, before.counts[dataset]);
  });
  const rowCount = files.pricing?.rowCount ?? 0;
  return isShrunk || (rowCount > 0 && pending.size / rowCount > SUSPECT_FRACTION_MAX);
}

/** More than a handful, and more than the last nights' median change and six of their spreads, where ten of them are known. */
function isUnusual(fewer: number, had: number, counts: readonly number[]): boolean {
  if (fewer <= UNNOTICED_RECORDS || fewer / had <= UNNOTICED_PART) return false;
  const losses: number[] = [];
  for (let i = Math.max(1, counts.length - USUAL_NIGHTS); i < counts.length; i += 1) {
    const [left, right] = [counts[i - 1] ?? 0, counts[i] ?? 0];
    if (left > 0) losses.push(1 - right / left);
  }
  if (losses.length < USUAL_NIGHTS_MIN) return false;
  const middle = middleOf(losses);
  const spread = middleOf(losses.map((loss) => Math.abs(loss - middle)));
  return fewer / had > middle + USUAL_SPREADS * 1.4826 * spread;
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0)) / 2;
}

function numberEvents(lastSeq: number, day: string, settled: PerDataset<Settled>): OracleEvent[] {
  const events: OracleEvent[] = [];
  const push = (dataset: DatasetName, op: OracleEvent['op'], record: OracleRecord) => {
    const { entityType } = DATASETS[dataset];
    if (entityType === null) return;
    events.push({
      seq: lastSeq + events.length + 1,
      occurred_on: day,
      entity_type: entityType,
      entity_id: entityId(record.key),
      key: Object.fromEntries(DATASETS[dataset].key.map((name, i) => [name, record.key[i] ?? ''])),
      op,
      data: op === 'delete' ? null : publishedRecord(dataset, record.values),
    });
  };
  for (const dataset of DELETE_ORDER) {
    for (const record of sortByKey(settled[dataset].deleted)) push(dataset, 'delete', record);
  }
  for (const dataset of UPSERT_ORDER) {
    for (const record of sortByKey(settled[dataset].upserted)) push(dataset, 'upsert', record);
  }
  return events;
}

function snapshotLines(state: OracleState): PerDataset<readonly string[]> {
  return perDataset((dataset) =>
    sortByKey(state.records[dataset].values()).map(({ values }) => canonicalLine(publishedRecord(dataset, values))),
  );
}
