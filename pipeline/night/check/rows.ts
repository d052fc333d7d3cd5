import { DATASETS, type Dataset, type DatasetName } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { RECORD_VERSIONS, storedColumns } from '../../../schemas/record-versions.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { columnList, entityIdSql, sameKeySql } from '../../../storage/duckdb/record-sql.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';
import type { CapturedDataset } from '../capture/capture.ts';
import { cleanIdSql, faultBit, type RowRule, rowRules, unreadableKeyMask } from '../capture/typed-rows.ts';
import { countRows, table } from '../tables.ts';
import { ISSUES_MAX, issueSql, takeRowsOut } from './issues.ts';
import { setStaleAside, takeStaleRows } from './upstreams.ts';

export interface RowCheck {
  /** Rows that broke a rule or contradict another row of the same key. */
  readonly bad: number;
  /** Keys of rows of upstreams that failed today. */
  readonly stale: number;
  /** True where a bad row's key is unreadable: any absent record may be the one it describes. */
  readonly withhold: boolean;
  readonly warnings: readonly string[];
}

/**
 * Splits a dataset's rows into `captured_<dataset>`, the good ones with unique keys, and `aside_<dataset>`, the keys of
 * the bad ones, whose records are carried (specification "Bad rows"; decision 0002). `source_<dataset>` is renamed
 * without its bad rows, to avoid a copy.
 * @param carried upstreams that failed today, whose rows are an earlier day's
 */
export async function checkRows(
  database: Database,
  captured: CapturedDataset,
  { version, carried }: { readonly version: RecordVersion; readonly carried: readonly string[] },
): Promise<RowCheck> {
  const dataset = DATASETS[captured.dataset];
  const stale = await takeStaleRows(database, captured, carried);
  const source = table('source', dataset.name);
  const rules = rowRules(dataset);
  const warnings = await ignoreLaterColumns(database, dataset, { rules, version });
  const { faulty, keyless } = await database.row(
    { faulty: number, keyless: number },
    `SELECT count(*) FILTER (fault <> 0)::DOUBLE AS faulty,
            count(*) FILTER (fault & ${unreadableKeyMask(dataset, rules)} <> 0)::DOUBLE AS keyless FROM ${source}`,
  );
  if (faulty > 0) await explainFaults(database, dataset, captured);
  // The last reader of the rows' texts.
  if (captured.relation.staged !== undefined) await database.run(`DETACH ${captured.relation.staged.name}`);
  const contradicting = await splitByKey(database, dataset, faulty > 0);
  if (stale > 0) await setStaleAside(database, captured);
  return { bad: faulty + contradicting, stale, withhold: keyless > 0, warnings };
}

/**
 * Clears the faults of columns that the version in force does not store yet, which the night leaves out. Resolves to a warning for each
 * of these columns.
 */
async function ignoreLaterColumns(
  database: Database,
  dataset: Dataset,
  { rules, version }: { readonly rules: readonly RowRule[]; readonly version: RecordVersion },
): Promise<readonly string[]> {
  const stored = new Set(storedColumns(dataset.name, version).map(({ name }) => name));
  const later = dataset.columns.flatMap(({ name, addedIn }) => {
    const day = RECORD_VERSIONS.find((one) => one.version === addedIn)?.inForceFrom;
    return stored.has(name) || day === undefined ? [] : [{ name, day, mask: faultsOf(name, rules) }];
  });
  if (later.length === 0) return [];
  const source = table('source', dataset.name);
  const counts = later.map(({ name, mask }) => `count(*) FILTER (fault & ${mask} <> 0)::DOUBLE AS ${name}`);
  const shape = Object.fromEntries(later.map(({ name }) => [name, number] as const));
  const rows = await database.row(shape, `SELECT ${counts.join(', ')} FROM ${source}`);
  const wrong = later.filter(({ name }) => rows[name] !== 0);
  if (wrong.length === 0) return [];
  const all = wrong.reduce((bits, { mask }) => bits | mask, 0n);
  await database.run(`UPDATE ${source} SET fault = fault - (fault & ${all}) WHERE fault & ${all} <> 0`);
  return wrong.map(({ name, day }) => {
    const inRows = rows[name] === 1 ? '1 row' : `${rows[name]} rows`;
    return `${dataset.name}: ${name} is wrong in ${inRows}, and left out; from ${day} on such rows are bad`;
  });
}

/** The bits of a column's rules, also of those that compare another one with it. */
function faultsOf(name: string, rules: readonly RowRule[]): bigint {
  const isOf = ({ column, other }: RowRule) => column === name || other === name;
  return rules.reduce((bits, rule, index) => (isOf(rule) ? bits | faultBit(index) : bits), 0n);
}

/** Records in `issues` the broken rules of the first `rowsMax` bad rows, with the source's text. */
export async function explainFaults(
  database: Database,
  dataset: Dataset,
  captured: CapturedDataset,
  rowsMax = ISSUES_MAX,
): Promise<void> {
  const source = table('source', dataset.name);
  await database.run(
    `CREATE TEMP TABLE faulty AS SELECT rowid AS fault_row, fault FROM ${source} WHERE fault <> 0 ORDER BY rowid LIMIT ${rowsMax}`,
  );
  await database.run(
    `CREATE TEMP TABLE raw AS SELECT * FROM (SELECT row_number() OVER () - 1 AS fault_row, * FROM (${captured.relation.sql}))
     WHERE fault_row IN (SELECT fault_row FROM faulty)`,
    captured.relation.parameters,
  );
  for (const [index, rule] of rowRules(dataset).entries()) {
    const issue = issueSql({
      dataset: dataset.name,
      kind: 'bad',
      rowid: 'fault_row',
      field: `'${rule.column}'`,
      value: `raw.${rule.column}`,
      reason: rule.reasonSql?.(`raw.${rule.column}`) ?? `'${rule.reason}'`,
    });
    await database.run(
      `INSERT INTO issues SELECT ${issue} FROM raw JOIN faulty USING (fault_row) WHERE fault & ${faultBit(index)} <> 0`,
    );
  }
  await database.run('DROP TABLE raw; DROP TABLE faulty');
}

/** Identical rows with one key become one; contradicting ones are all set aside. */
async function splitByKey(database: Database, dataset: Dataset, hasFaults: boolean): Promise<number> {
  const [source, aside] = [table('source', dataset.name), table('aside', dataset.name)];
  const key = columnList(dataset.key);
  const cleanKey = dataset.key.map((part) => `${cleanIdSql(part)} AS ${part}`).join(', ');
  const hasRepeats = await findRepeats(database, dataset);
  await database.run(
    `CREATE TABLE ${aside} AS SELECT DISTINCT ${key} FROM (
       SELECT ${cleanKey} FROM ${source} WHERE fault <> 0 UNION ALL SELECT ${key} FROM verdict WHERE contradicting)`,
  );
  const contradicting = hasRepeats ? await reportRepeats(database, dataset) : 0;
  if (hasFaults || hasRepeats) {
    await database.run(
      `DELETE FROM ${source} s WHERE fault <> 0 OR EXISTS (SELECT 1 FROM verdict v
         WHERE ${sameKeySql(dataset, 's', 'v')} AND (v.contradicting OR s.rowid <> v.first_row))`,
    );
  }
  await database.run(`DROP TABLE verdict; ALTER TABLE ${source} RENAME TO ${table('captured', dataset.name)}`);
  return contradicting;
}

async function reportRepeats(database: Database, dataset: Dataset): Promise<number> {
  const contradicting = await database.run(insertRepeats(dataset, 'bad', 'contradicting AND s.fault = 0'));
  await database.run(insertRepeats(dataset, 'repeat', 'NOT contradicting AND s.rowid <> v.first_row'));
  return contradicting;
}

/** Fills `verdict`: one row per repeated key; false where there is none. */
async function findRepeats(database: Database, dataset: Dataset): Promise<boolean> {
  const source = table('source', dataset.name);
  // Grouping hashes takes a fraction of the memory of grouping texts.
  await database.run(
    `CREATE TEMP TABLE repeated AS SELECT hash(${columnList(dataset.key)}) AS key_hash FROM ${source}
     GROUP BY key_hash HAVING count(*) > 1`,
  );
  await database.run(
    `CREATE TEMP TABLE verdict AS
     SELECT ${columnList(dataset.key, 's')}, min(s.rowid) AS first_row,
            bool_or(s.fault <> 0) OR count(DISTINCT struct_pack(${columnPack(dataset, 's')})) > 1 AS contradicting
     FROM ${source} s WHERE hash(${columnList(dataset.key, 's')}) IN (SELECT key_hash FROM repeated)
     GROUP BY ${columnList(dataset.key, 's')} HAVING count(*) > 1`,
  );
  await database.run('DROP TABLE repeated');
  return (await countRows(database, 'verdict')) > 0;
}

function insertRepeats(dataset: Dataset, kind: 'bad' | 'repeat', condition: string): string {
  const issue = issueSql({
    dataset: dataset.name,
    kind,
    rowid: 's.rowid',
    field: `'${dataset.key.join(', ')}'`,
    value: dataset.key.map((part) => `s.${part}`).join(` || ', ' || `),
    reason:
      kind === 'bad' ? `'appears more than once with different content'` : `'appears more than once, identically'`,
  });
  return `INSERT INTO issues SELECT ${issue} FROM ${table('source', dataset.name)} s
    JOIN verdict v ON ${sameKeySql(dataset, 's', 'v')} WHERE ${condition}`;
}

/** Without the upstream: two upstreams with equal content don't contradict each other. */
function columnPack(dataset: Dataset, alias: string): string {
  const content = dataset.columns.filter(({ isUpstream = false }) => !isUpstream);
  return content.map(({ name }) => `${name} := ${alias}.${name}`).join(', ');
}

/**
 * Sets aside rows whose entity id is also that of another record of today or yesterday (specification "Ids"; decision
 * 0038): the feed could not distinguish them. Records in force stay.
 */
export async function setAsideSharedIds(database: Database, name: DatasetName): Promise<number> {
  const dataset = DATASETS[name];
  if (!(await mayShareIds(database, dataset))) return 0;
  const captured = table('captured', name);
  await database.run(
    `CREATE TEMP TABLE shared_ids AS SELECT entity_id FROM (
       SELECT ${columnList(dataset.key)}, ${entityIdSql(dataset)} AS entity_id FROM ${captured} WHERE ${hasColon(dataset.key)}
       UNION SELECT ${columnList(dataset.key)}, ${entityIdSql(dataset)} FROM ${table('previous', name)} WHERE ${hasColon(dataset.key)})
     GROUP BY entity_id HAVING count(*) > 1`,
  );
  const rows = await takeRowsOut(database, dataset, {
    condition: `${entityIdSql(dataset, 'c')} IN (SELECT entity_id FROM shared_ids)`,
    kind: 'bad',
    field: dataset.key.join(', '),
    value: entityIdSql(dataset, 'c'),
    reason: 'is also the entity id of another record',
  });
  await database.run('DROP TABLE shared_ids');
  return rows;
}

/** Two keys share a joined text only if one has a colon after its first part, which is rare. */
async function mayShareIds(database: Database, { name, key }: Dataset): Promise<boolean> {
  const later = key.slice(1);
  if (later.length === 0) return false;
  const condition = hasColon(later);
  const { rows } = await database.row(
    { rows: number },
    `SELECT (SELECT count(*) FROM ${table('captured', name)} WHERE ${condition})::DOUBLE
          + (SELECT count(*) FROM ${table('previous', name)} WHERE ${condition})::DOUBLE AS rows`,
  );
  return rows > 0;
}

function hasColon(parts: readonly string[]): string {
  return parts.map((part) => `contains(${part}, ':')`).join(' OR ');
}
