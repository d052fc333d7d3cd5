/**
 * The oracle's "check": which rows of a day's files count, and which are set aside and why (specification "Bad rows";
 * "References"; "Suspect prices"; "Guard").
 */
import { DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import { entityId, keyText } from './canonical.ts';
import { type ReadRow, readRow, type Value, type Values } from './row-rules.ts';
import type { OracleDay, OracleState, Orphan, PendingSuspect, PerDataset, QuarantinedRow } from './state.ts';

const PRICE_MIN = 0.0001;
const PRICE_MAX = 10_000;
const PRICE_RATIO_MAX = 1000;
const SUSPECT_DAYS = 14;
const PRICES = ['input_per_million', 'output_per_million'] as const;

/** A row with a readable key. */
export type Row = ReadRow & { readonly key: readonly string[]; readonly row: number };

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
  quarantined: QuarantinedRow[],
): CapturedFile | undefined {
  if (rawRows === undefined) return undefined;
  const setAside = new Set<string>();
  const { rowsByKey, hasUnreadableKey } = groupByKey(dataset, rawRows, quarantined, setAside);
  const good = new Map<string, Row>();
  for (const [id, group] of rowsByKey) {
    const [first] = group;
    const isBad = group.some(({ problems }) => problems.length > 0);
    const isContradicting = group.length > 1 && new Set(group.map(({ values }) => JSON.stringify(values))).size > 1;
    if (first !== undefined && !isBad && !isContradicting) {
      good.set(id, first);
      continue;
    }
    setAside.add(id);
    const contradiction = isContradicting ? ['contradicts another row of its key'] : [];
    for (const { row, problems } of group) {
      quarantined.push({ dataset, row, entityId: id, problems: [...problems, ...contradiction] });
    }
  }
  return { rowCount: rawRows.length, good, setAside, hasUnreadableKey };
}

/** Rows without a valid key are quarantined at once; the record they must have meant is set aside with them. */
function groupByKey(
  dataset: DatasetName,
  rawRows: readonly unknown[],
  quarantined: QuarantinedRow[],
  setAside: Set<string>,
): { readonly rowsByKey: ReadonlyMap<string, readonly Row[]>; readonly hasUnreadableKey: boolean } {
  const rowsByKey = new Map<string, Row[]>();
  let hasUnreadableKey = false;
  for (const [i, raw] of rawRows.entries()) {
    const row = i + 1;
    const { key, meantKey, values, problems } = readRow(dataset, raw);
    if (key === undefined) {
      if (meantKey === undefined) hasUnreadableKey = true;
      else setAside.add(keyText(meantKey));
      quarantined.push({ dataset, row, entityId: undefined, problems });
      continue;
    }
    const id = keyText(key);
    const group = rowsByKey.get(id) ?? [];
    group.push({ key, meantKey, values, problems, row });
    rowsByKey.set(id, group);
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
    readonly quarantined: QuarantinedRow[];
    readonly orphans: Orphan[];
  },
): void {
  for (const [id, row] of [...file.good]) {
    const missing = parentsOf(dataset, row.values).filter((parent) => !night.inForce[parent.dataset].has(parent.id));
    if (missing.length === 0) continue;
    file.good.delete(id);
    const unheardOf = missing.filter((parent) => !night.before.known[parent.dataset].has(parent.id));
    if (unheardOf.length === 0) {
      night.orphans.push({ dataset, entityId: id });
      continue;
    }
    const problems = unheardOf.map((parent) => `${parent.column} names one of ${parent.dataset} that never existed`);
    night.quarantined.push({ dataset, row: row.row, entityId: id, problems });
  }
}

/** Rows that the feed couldn't tell from another record, of today or of yesterday, are bad. */
export function setAsideSharedIds(
  dataset: DatasetName,
  file: CapturedFile,
  { before, quarantined }: { readonly before: OracleState; readonly quarantined: QuarantinedRow[] },
): void {
  const keys = new Map([...before.records[dataset], ...file.good].map(([id, { key }]) => [id, entityId(key)]));
  const counts = new Map<string, number>();
  for (const joined of keys.values()) counts.set(joined, (counts.get(joined) ?? 0) + 1);
  for (const [id, { key, row }] of [...file.good]) {
    if ((counts.get(entityId(key)) ?? 0) < 2) continue;
    file.good.delete(id);
    file.setAside.add(id);
    quarantined.push({ dataset, row, entityId: id, problems: ['has the entity id of another record'] });
  }
}

export function parentsOf(
  dataset: DatasetName,
  values: Values,
): { dataset: DatasetName; id: string; column: string }[] {
  return DATASETS[dataset].columns.flatMap(({ name, references }) => {
    const parent = values[name];
    if (references === undefined || typeof parent !== 'string') return [];
    return [{ dataset: references, id: keyText([parent]), column: name }];
  });
}

/**
 * Prices that can hardly be true are set aside until an operator accepts them or, where one only jumped, until it has stood long
 * enough. Without a
 * price file nothing is seen and everything stays pending.
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
