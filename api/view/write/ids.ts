import { AppError } from '../../../runtime/errors.ts';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import type { Writer } from './writer.ts';

/** Between two ids that were numbered together: some sixteen nights may each put a new id at the same place. */
const GAP = 65_536;

/** Two neighbours have no number between them any more: the view is built anew, with numbers that have room. */
export class NumbersUsedUp extends AppError {
  constructor(kind: string, id: string) {
    super('corrupt', `there is no number left for the ${kind} ${id}`);
  }
}

interface NumberedId {
  readonly id: string;
  /** Undefined: it has none yet. */
  readonly number: number | undefined;
}

/**
 * Gives every id of the DuckDB table `captured_ids (kind, id, is_known)` a number in the view, between those of its neighbours, and
 * leaves all ids of the view in the DuckDB table `ids (kind, id, number)`. Rejects with NumbersUsedUp where there is no room.
 */
export async function numberIds(writer: Writer): Promise<void> {
  const { duckdb, view } = writer;
  const insert = view.prepare(
    `INSERT INTO ids VALUES (?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET is_known = max(is_known, excluded.is_known)`,
  );
  const captured = await duckdb.rows(
    { kind: text, id: text, is_known: number },
    `SELECT kind, id, max(is_known)::INTEGER AS is_known FROM captured_ids GROUP BY kind, id ORDER BY kind, id`,
  );
  for (const [kind, ids] of Map.groupBy(captured, (row) => row.kind)) {
    const numbers = numbersFor(kind, mergedWith(existingIds(writer, kind), ids.map(({ id }) => id)));
    for (const { id, is_known: isKnown } of ids) insert.run(kind, id, numbers.get(id), isKnown);
  }
  await loadIds(writer);
}

function existingIds({ view }: Writer, kind: string): readonly NumberedId[] {
  return view
    .prepare<[string], { readonly id: string; readonly number: number }>(
      'SELECT id, number FROM ids WHERE kind = ? ORDER BY number',
    )
    .all(kind);
}

/** Both in the order of their bytes, which is that of SQLite and DuckDB. */
function mergedWith(existing: readonly NumberedId[], ids: readonly string[]): readonly NumberedId[] {
  const known = new Set(existing.map(({ id }) => id));
  const added = ids.filter((id) => !known.has(id)).map((id): NumberedId => ({ id, number: undefined }));
  if (added.length === 0) return existing;
  return [...existing, ...added]
    .map((row) => ({ row, bytes: Buffer.from(row.id) }))
    .sort((a, b) => a.bytes.compare(b.bytes))
    .map(({ row }) => row);
}

/** The numbers of ids in their order: those that have one keep it, the others are spread over the room between their neighbours. */
export function numbersFor(kind: string, ids: readonly NumberedId[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  let below = 0;
  for (let at = 0; at < ids.length; ) {
    const { id, number: own } = ids[at] ?? { id: '', number: 0 };
    if (own !== undefined) {
      numbers.set(id, own);
      below = own;
      at += 1;
      continue;
    }
    const next = ids.findIndex((other, index) => index > at && other.number !== undefined);
    const end = next < 0 ? ids.length : next;
    const above = next < 0 ? below + GAP * (end - at + 1) : (ids[next]?.number ?? 0);
    const step = Math.floor((above - below) / (end - at + 1));
    if (step < 1) throw new NumbersUsedUp(kind, id);
    for (; at < end; at += 1) {
      below += step;
      numbers.set(ids[at]?.id ?? '', below);
    }
  }
  return numbers;
}

async function loadIds({ duckdb, view }: Writer): Promise<void> {
  await duckdb.run('CREATE TEMP TABLE ids (kind VARCHAR, id VARCHAR, number DOUBLE)');
  const appender = await duckdb.connection.createAppender('ids');
  const rows = view
    .prepare<[], { readonly kind: string; readonly id: string; readonly number: number }>('SELECT kind, id, number FROM ids')
    .iterate();
  for (const { kind, id, number: own } of rows) {
    appender.appendVarchar(kind);
    appender.appendVarchar(id);
    appender.appendDouble(own);
    appender.endRow();
  }
  appender.closeSync();
}
