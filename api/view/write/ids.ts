import type { Day } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import { recordsSql, sqlText } from '../../../storage/duckdb/database.ts';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import type { HistoryParts } from './view-parts.ts';
import type { Writer } from './writer.ts';

/** Between ids that are numbered together: sixteen successive new ids fit between the same two neighbours. */
const GAP = 65_536;

/** Two neighbours have no number between them; a new view spreads its numbers again. */
export class NumbersUsedUp extends AppError {
  constructor(kind: string, id: string) {
    super('corrupt', `there is no number left for the ${kind} ${id}`);
  }
}

interface NumberedId {
  readonly id: string;
  /** Undefined: a new id. */
  readonly number: number | undefined;
}

/**
 * Fills the DuckDB table `captured_ids (kind, id, is_known)`. An id is known if it has an interval.
 * @param since the newest day of the view that has the ids of records before; undefined: the view is new
 */
export async function captureIds(
  { duckdb }: Writer,
  { state, closed, backfill }: HistoryParts,
  since: Day | undefined,
): Promise<void> {
  const selects: string[] = [];
  const isNew = since === undefined ? '' : `WHERE valid_from > DATE '${since}' OR valid_from IS NULL`;
  const add = async (kind: string, name: DatasetName, column: string, isKnown: string) => {
    const current = await recordsSql(duckdb, DATASETS[name], state[name]);
    const isRead = name === 'benchmarks' ? '' : isNew; // Benchmarks have no intervals.
    selects.push(`SELECT '${kind}', ${column}, (${isKnown})::INTEGER FROM (${current}) ${isRead}`);
    if (closed[name].length === 0) return;
    const ended = await recordsSql(duckdb, DATASETS[name], closed[name]);
    selects.push(`SELECT '${kind}', ${column}, ${isKnown === '0' ? 0 : 1} FROM (${ended})`);
  };
  const hasInterval = 'valid_from IS NOT NULL';
  await add('model', 'models', 'id', hasInterval);
  for (const name of ['scores', 'rankings', 'pricing'] as const) await add('model', name, 'model_id', '0');
  await add('benchmark', 'benchmarks', 'id', '1');
  await add('benchmark', 'scores', 'benchmark_id', '0');
  await add('score source', 'scores', 'source', '0');
  await add('category', 'rankings', 'category', hasInterval);
  await add('provider', 'pricing', 'provider', hasInterval);
  if (backfill !== undefined) {
    for (const [kind, column, isKnown] of [
      ['model', 'model_id', 0],
      ['provider', 'provider', 1],
    ]) {
      selects.push(`SELECT '${kind}', ${column}, ${isKnown} FROM read_parquet(${sqlText(backfill)})`);
    }
  }
  await duckdb.run(
    `CREATE TEMP TABLE captured_ids AS SELECT kind, id, max(is_known) AS is_known FROM (${selects.join(' UNION ALL ')}) r(kind, id, is_known)
     WHERE id IS NOT NULL GROUP BY ALL`,
  );
}

/**
 * Gives each captured id a number between those of its neighbours, and copies all ids of the view into the DuckDB table
 * `ids (kind, id, number)`. Rejects with {@link NumbersUsedUp}.
 */
export async function numberIds(writer: Writer): Promise<void> {
  const { duckdb, view } = writer;
  const insert = view.prepare(
    `INSERT INTO ids VALUES (?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET is_known = max(is_known, excluded.is_known)`,
  );
  const captured = await duckdb.rows(
    { kind: text, id: text, is_known: number },
    'SELECT kind, id, is_known::INTEGER AS is_known FROM captured_ids ORDER BY kind, id',
  );
  for (const [kind, ids] of Map.groupBy(captured, (row) => row.kind)) {
    const existing = existingIds(writer, kind);
    const merged = mergedWith(
      existing,
      ids.map(({ id }) => id),
    );
    const numbers = numbersFor(kind, merged);
    const known = new Map(existing.map((row) => [row.id, row.isKnown]));
    for (const { id, is_known: isKnown } of ids) {
      if (isKnown > (known.get(id) ?? -1)) insert.run(kind, id, numbers.get(id), isKnown);
    }
  }
  await loadIds(writer);
}

function existingIds({ view }: Writer, kind: string) {
  return view
    .prepare<[string], { readonly id: string; readonly number: number; readonly isKnown: number }>(
      'SELECT id, number, is_known AS isKnown FROM ids WHERE kind = ? ORDER BY number',
    )
    .all(kind);
}

/** In the order of their bytes, as in SQLite and DuckDB. */
function mergedWith(existing: readonly NumberedId[], ids: readonly string[]): readonly NumberedId[] {
  const known = new Set(existing.map(({ id }) => id));
  const added = ids.filter((id) => !known.has(id)).map((id): NumberedId => ({ id, number: undefined }));
  if (added.length === 0) return existing;
  return [...existing, ...added]
    .map((row) => ({ row, bytes: Buffer.from(row.id) }))
    .sort((a, b) => a.bytes.compare(b.bytes))
    .map(({ row }) => row);
}

/** Existing ids keep their number; new ones are spread evenly between their neighbours. Throws {@link NumbersUsedUp}. */
export function numbersFor(kind: string, ids: readonly NumberedId[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  let [below, added]: [number, string[]] = [0, []];
  const place = (above: number) => {
    const step = Math.floor((above - below) / (added.length + 1));
    if (added.length > 0 && step < 1) throw new NumbersUsedUp(kind, added[0] ?? '');
    for (const [index, id] of added.entries()) numbers.set(id, below + step * (index + 1));
    [below, added] = [above, []];
  };
  for (const { id, number: own } of ids) {
    if (own === undefined) added.push(id);
    else {
      place(own);
      numbers.set(id, own);
    }
  }
  place(below + GAP * (added.length + 1));
  return numbers;
}

async function loadIds({ duckdb, view }: Writer): Promise<void> {
  await duckdb.run('CREATE TEMP TABLE ids (kind VARCHAR, id VARCHAR, number DOUBLE)');
  const appender = await duckdb.connection.createAppender('ids');
  const rows = view
    .prepare<[], { readonly kind: string; readonly id: string; readonly number: number }>(
      'SELECT kind, id, number FROM ids',
    )
    .iterate();
  for (const { kind, id, number: own } of rows) {
    appender.appendVarchar(kind);
    appender.appendVarchar(id);
    appender.appendDouble(own);
    appender.endRow();
  }
  appender.closeSync();
}
