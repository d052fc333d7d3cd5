import type { Day } from '../../../runtime/day.ts';
import { childrenOf, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { countRows, table } from '../tables.ts';
import { takeRowsOut } from './issues.ts';

export interface ReferenceCheck {
  /** Rows whose parent never existed; they are quarantined. */
  readonly dangling: Readonly<Record<DatasetName, number>>;
  /** Rows whose parent was removed; their records are deleted with it. */
  readonly orphans: Readonly<Record<DatasetName, number>>;
}

export interface ReferenceInput {
  readonly day: Day;
  readonly captured: ReadonlySet<DatasetName>;
  /** Datasets with an unreadable key: their absent records are carried. */
  readonly withheld: ReadonlySet<DatasetName>;
}

/** Why a row whose model or benchmark never existed is bad. */
export const UNKNOWN_PARENT = 'is unknown and never existed';

const PARENTS = ['models', 'benchmarks'] as const satisfies readonly DatasetName[];

/**
 * Enforces references (specification "References"; decision 0004): fills `present_<parent>` with the ids in force today
 * and `removed` with former ones, then removes rows with other parents from `captured_<dataset>`.
 */
export async function checkReferences(database: Database, input: ReferenceInput): Promise<ReferenceCheck> {
  const dangling = { models: 0, benchmarks: 0, scores: 0, rankings: 0, pricing: 0 };
  const orphans = { ...dangling };
  for (const parent of PARENTS) await listPresent(database, parent, input);
  await listRemoved(database, input.day);
  const references = PARENTS.flatMap((parent) => childrenOf(parent).map((child) => ({ parent, ...child })));
  const withLost: (typeof references)[number][] = [];
  for (const child of references) {
    if (input.captured.has(child.dataset) && (await hasLost(database, child))) withLost.push(child);
  }
  for (const child of withLost) dangling[child.dataset] += await takeOut(database, { ...child, kind: 'bad' });
  for (const child of withLost) orphans[child.dataset] += await takeOut(database, { ...child, kind: 'orphan' });
  return { dangling, orphans };
}

async function listPresent(database: Database, parent: (typeof PARENTS)[number], input: ReferenceInput): Promise<void> {
  const [previous, aside, captured] = [table('previous', parent), table('aside', parent), table('captured', parent)];
  const carried = input.withheld.has(parent) ? '' : `WHERE id IN (SELECT id FROM ${aside})`;
  const sql = input.captured.has(parent)
    ? `SELECT id FROM ${captured} UNION SELECT id FROM ${previous} ${carried}`
    : `SELECT id FROM ${previous}`;
  await database.run(`CREATE TABLE present_${parent} AS ${sql}`);
}

async function listRemoved(database: Database, day: Day): Promise<void> {
  const gone = PARENTS.map(
    (parent) =>
      `SELECT dataset, id, removed_on FROM previous_removed
       WHERE dataset = '${parent}' AND id NOT IN (SELECT id FROM present_${parent})
       UNION ALL SELECT '${parent}', id, $1::DATE FROM ${table('previous', parent)}
       WHERE id NOT IN (SELECT id FROM present_${parent})`,
  );
  await database.run(`CREATE TABLE removed AS ${gone.join(' UNION ALL ')} ORDER BY dataset, id`, [day]);
}

interface TakeOut {
  readonly parent: (typeof PARENTS)[number];
  readonly dataset: DatasetName;
  readonly column: string;
  readonly kind: 'bad' | 'orphan';
}

/** Usually false, which saves the two queries of {@link takeOut}. */
async function hasLost(database: Database, child: Omit<TakeOut, 'kind'>): Promise<boolean> {
  const { parent, dataset, column } = child;
  return (await countRows(database, `${table('captured', dataset)} c WHERE ${lostSql(parent, column)}`)) > 0;
}

/** For a row \`c\`. */
function lostSql(parent: TakeOut['parent'], column: string): string {
  return `NOT EXISTS (SELECT 1 FROM present_${parent} p WHERE p.id = c.${column})`;
}

/** Rows whose parent never existed are also set aside. */
function takeOut(database: Database, { parent, dataset, column, kind }: TakeOut): Promise<number> {
  const wasRemoved = `c.${column} IN (SELECT id FROM removed WHERE dataset = '${parent}')`;
  return takeRowsOut(database, DATASETS[dataset], {
    condition: `${lostSql(parent, column)} AND ${kind === 'orphan' ? wasRemoved : `NOT ${wasRemoved}`}`,
    kind,
    field: column,
    value: `c.${column}`,
    reason: kind === 'orphan' ? 'was removed; the record is removed with it' : UNKNOWN_PARENT,
  });
}
