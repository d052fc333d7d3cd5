import { crc32 } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { type HistoryKind, SERIES_KINDS } from '../../../api/view/history-kinds.ts';
import type { IdKind } from '../../../api/view/schema.ts';
import { inflate } from '../../../runtime/gzip-pieces.ts';

/** Columns that have the number of an id in some tables. */
const NUMBERED: Readonly<Record<string, IdKind>> = {
  model: 'model',
  benchmark: 'benchmark',
  source: 'score source',
  category: 'category',
  provider: 'provider',
};

type Row = Readonly<Record<string, unknown>>;

/**
 * Every row of every table of a view file, in the order of its keys, as JSON text. A view that followed releases gives the same as one
 * that was built from nothing: ids take the place of their numbers, and each event comes with its block.
 * Throws if an index isn't that of its table.
 */
export function dumpView(path: string): Readonly<Record<string, readonly string[]>> {
  const view = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  try {
    const problems = view.pragma('integrity_check', { simple: true });
    if (problems !== 'ok') throw new Error(`${path}: ${String(problems)}`);
    const tables = view
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
      .pluck();
    const idOf = idsOf(view);
    return Object.fromEntries(
      tables.all().map((table) => {
        const rows = rowsOf(view, table);
        if (table === 'meta') return [table, rows.map(({ json }) => String(json))];
        if (table === 'events') return [table, eventsIn(rows)];
        return [table, rows.map((row) => JSON.stringify(withIds(table, row, idOf)))];
      }),
    );
  } finally {
    view.close();
  }
}

function rowsOf(view: SqliteDatabase.Database, table: string): readonly Row[] {
  // Ids in the order of their numbers: a number out of order shows.
  if (table === 'ids')
    return view.prepare<[], Row>('SELECT kind, id, is_known, number FROM ids ORDER BY kind, number').all();
  const columns = view.pragma(`table_info(${table})`) as readonly { readonly name: string; readonly pk: number }[]; // Documented.
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (table === 'score_values')
    return view.prepare<[], Row>('SELECT * FROM score_values ORDER BY source, measured_at').all();
  const order = key.length === 0 ? 'rowid' : key.map(({ name }) => `"${name}"`).join(', ');
  return view.prepare<[], Row>(`SELECT * FROM ${table} ORDER BY ${order}`).all();
}

type IdOf = (kind: IdKind, number: number) => string;

function idsOf(view: SqliteDatabase.Database): IdOf {
  const ids = new Map(rowsOf(view, 'ids').map(({ kind, number, id }) => [`${kind} ${number}`, String(id)]));
  return (kind, number) => {
    const id = ids.get(`${kind} ${number}`);
    if (id === undefined) throw new Error(`no ${kind} has the number ${number}`);
    return id;
  };
}

function withIds(table: string, { number: _, ...row }: Row, idOf: IdOf): Row {
  const shown = Object.entries(row).map(([name, value]) => {
    const kind = NUMBERED[name];
    if (kind !== undefined && typeof value === 'number') return [name, idOf(kind, value)];
    if (table === 'intervals' && name === 'series') return [name, seriesOf(row, idOf)];
    return [name, Buffer.isBuffer(value) ? doublesIn(value) : value];
  });
  return Object.fromEntries(shown);
}

function seriesOf({ kind, series }: Row, idOf: IdOf): string {
  const ids = SERIES_KINDS[kind as HistoryKind]; // Written by a build of this program.
  return ids === null && series === 0 ? '' : idOf(ids ?? 'model', Number(series));
}

function doublesIn(bytes: Buffer): readonly number[] {
  return Array.from({ length: bytes.length / 8 }, (_, at) => bytes.readDoubleLE(at * 8));
}

/** A line per event: its block, the letter of its type, and the event. */
function eventsIn(blocks: readonly Row[]): readonly string[] {
  return blocks.flatMap(({ first_seq: first, types, deflated, bytes, crc }) => {
    const text = inflate({ deflated: deflated as Buffer, bytes: Number(bytes), crc: Number(crc) });
    if (text.length !== bytes || crc32(text) !== crc) throw new Error(`block ${first} has another text`);
    const events: readonly { readonly seq: number }[] = JSON.parse(`[${text}]`);
    const texts = text.toString().split(/,(?=\{"seq":\d)/);
    const letters = [...String(types)];
    if (new Set([events.length, texts.length, letters.length]).size > 1)
      throw new Error(`block ${first} has another length`);
    for (const [at, { seq }] of events.entries()) {
      if (seq !== Number(first) + at) throw new Error(`block ${first} has event ${seq} at ${at}`);
    }
    return texts.map((event, at) => `${first} ${letters[at]} ${event}`);
  });
}
