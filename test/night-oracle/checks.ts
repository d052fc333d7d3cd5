/**
 * The oracle's "check": which rows of a day's files count, and which are set aside (specification "Bad rows";
 * "References"; "Suspect prices"; "Guard").
 */
import { DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import { entityId, keyText } from './canonical.ts';
import { type ReadRow, readRow, type Value, type Values } from './row-rules.ts';
import type { OracleDay, OracleState, PendingSuspect, PerDataset } from './state.ts';

const PRICE_MIN = 0.0001;
const PRICE_MAX = 10_000;
const PRICE_RATIO_MAX = 1000;
const SUSPECT_DAYS = 14;
const PRICES = ['input_per_million', 'output_per_million'] as const;

/** A row with a readable key. */
export type Row = ReadRow & { readonly key: readonly string[] };

/** A dataset's file while the night sorts its rows. */
export interface CapturedFile {
  readonly rowCount: number;
  /** Rows that count today, by the text of its key. */
  readonly good: Map<string, Row>;
  /** Texts of keys of which a row was set aside. */
  readonly setAside: Set<string>;
  readonly hasUnreadableKey: boolean;
}

/** Sorts a file's rows into good ones and bad ones; several rows of one key count once if they are all the same. */
export function readFile(
  dataset: DatasetName,
  rawRows: readonly unknown[] | undefined,
  quarantined: DatasetName[],
): CapturedFile | undefined {
  if (rawRows === undefined) return undefined;
  const setAside = new Set<string>();
  const { rowsByKey, hasUnreadableKey } = groupByKey(dataset, rawRows, quarantined, setAside);
  const good = new Map<string, Row>();
  for (const [id, group] of rowsByKey) {
    const [first] = group;
    const isContradicting = new Set(group.map(({ values }) => JSON.stringify(values))).size > 1;
    if (first !== undefined && !isContradicting && !group.some(({ isBad }) => isBad)) {
      good.set(id, first);
      continue;
    }
    setAside.add(id);
    quarantined.push(...group.map(() => dataset));
  }
  return { rowCount: rawRows.length, good, setAside, hasUnreadableKey };
}

/** Rows without a valid key are quarantined at once; the record they must have meant is set aside with them. */
function groupByKey(
  dataset: DatasetName,
  rawRows: readonly unknown[],
  quarantined: DatasetName[],
  setAside: Set<string>,
): { readonly rowsByKey: ReadonlyMap<string, readonly Row[]>; readonly hasUnreadableKey: boolean } {
  const rowsByKey = new Map<string, Row[]>();
  let hasUnreadableKey = false;
  for (const raw of rawRows) {
    const { key, ...row } = readRow(dataset, raw);
    if (key === undefined) {
      if (row.meantKey === undefined) hasUnreadableKey = true;
      else setAside.add(keyText(row.meantKey));
      quarantined.push(dataset);
      continue;
    }
    const id = keyText(key);
    rowsByKey.set(id, [...(rowsByKey.get(id) ?? []), { key, ...row }]);
  }
  return { rowsByKey, hasUnreadableKey };
}

/**
 * A row whose parent never existed is bad; one whose parent was deleted (today or before) is an orphan. Neither carries
 * a record: none in force can have such a parent.
 */
export function setAsideBrokenReferences(
  dataset: DatasetName,
  file: CapturedFile,
  night: {
    readonly before: OracleState;
    readonly inForce: PerDataset<ReadonlySet<string>>;
    readonly quarantined: DatasetName[];
  },
): void {
  for (const [id, { values }] of [...file.good]) {
    const missing = parentsOf(dataset, values).filter((parent) => !night.inForce[parent.dataset].has(parent.id));
    if (missing.length === 0) continue;
    file.good.delete(id);
    const wereThere = missing.every((parent) => night.before.known[parent.dataset].has(parent.id));
    if (!wereThere) night.quarantined.push(dataset);
  }
}

/** Rows that the feed couldn't tell from another record, of today or of yesterday, are bad. */
export function setAsideSharedIds(
  dataset: DatasetName,
  file: CapturedFile,
  { before, quarantined }: { readonly before: OracleState; readonly quarantined: DatasetName[] },
): void {
  const keys = new Map([...before.records[dataset], ...file.good].map(([id, { key }]) => [id, entityId(key)]));
  const counts = new Map<string, number>();
  for (const joined of keys.values()) counts.set(joined, (counts.get(joined) ?? 0) + 1);
  for (const [id, { key }] of [...file.good]) {
    if ((counts.get(entityId(key)) ?? 0) < 2) continue;
    file.good.delete(id);
    file.setAside.add(id);
    quarantined.push(dataset);
  }
}

export function parentsOf(dataset: DatasetName, values: Values): { dataset: DatasetName; id: string }[] {
  return DATASETS[dataset].columns.flatMap(({ name, references }) => {
    const parent = values[name];
    if (references === undefined || typeof parent !== 'string') return [];
    return [{ dataset: references, id: keyText([parent]) }];
  });
}

/**
 * Prices that can hardly be true are set aside until an operator accepts them or, where one only jumped, until it has stood
 * long enough. Without a price file nothing is seen and everything stays pending.
 */
export function setAsideSuspects(
  file: CapturedFile | undefined,
  night: {
    readonly before: OracleState;
    readonly today: OracleDay;
    readonly inForce: PerDataset<ReadonlySet<string>>;
    readonly pending: Map<string, PendingSuspect>;
  },
): void {
  const { before, today, inForce, pending } = night;
  if (file === undefined) {
    for (const [id, suspect] of before.pending) {
      const [model = ''] = suspect.key;
      if (inForce.models.has(keyText([model]))) pending.set(id, suspect);
    }
    return;
  }
  for (const [id, { key, values }] of [...file.good]) {
    const suspicion = findSuspicion(before.records.pricing.get(id)?.values ?? {}, values);
    if (suspicion === undefined || today.acceptSuspects?.includes(`pricing:${entityId(key)}`)) continue;
    const suspect = sighting(before.pending.get(id), key, values, today.day);
    if (suspicion === 'jump' && suspect.daysSeen >= SUSPECT_DAYS) continue;
    pending.set(id, suspect);
    file.good.delete(id);
    file.setAside.add(id);
  }
}

/** Time lets in a price that only jumped, never one that is out of range. What is in force is no suspect. */
function findSuspicion(old: Values, next: Values): 'out of range' | 'jump' | undefined {
  if (PRICES.some((name) => isNumber(next[name]) && next[name] !== old[name] && !isInRange(next[name])))
    return 'out of range';
  return PRICES.some((name) => isJump(old[name], next[name])) ? 'jump' : undefined;
}

/** The count goes on while the same pair of values stands, and starts anew with another. */
function sighting(
  last: PendingSuspect | undefined,
  key: readonly string[],
  values: Values,
  day: string,
): PendingSuspect {
  const { input_per_million = null, output_per_million = null } = values;
  const isSamePair = last?.input_per_million === input_per_million && last.output_per_million === output_per_million;
  const [since, daysSeen] = isSamePair ? [last.since, last.daysSeen + 1] : [day, 1];
  return { key, input_per_million, output_per_million, since, daysSeen };
}

/** Null and 0 are no suspects. */
function isInRange(price: number): boolean {
  return price === 0 || (price >= PRICE_MIN && price <= PRICE_MAX);
}

function isJump(old: Value | undefined, next: Value | undefined): boolean {
  if (!isNumber(old) || !isNumber(next) || old === 0 || next === 0) return false;
  if (!isInRange(old) || !isInRange(next)) return false;
  return Math.max(old, next) / Math.min(old, next) > PRICE_RATIO_MAX;
}

function isNumber(value: Value | undefined): value is number {
  return typeof value === 'number';
}
