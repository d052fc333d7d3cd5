import { crc32 } from 'node:zlib';
import { DATASETS } from '../../../schemas/datasets.ts';
import { recordsSql } from '../../../storage/duckdb/database.ts';
import { doublesIn } from '../schema.ts';
import { chunksOf } from './chunks.ts';
import { dayNumberSql, idSql, type Writer } from './writer.ts';

type Nullable = number | null;

/**
 * Writes the sorted values of all scores by source and day of measurement, for counting without reading scores.
 *
 * @param scores the newest release's file
 */
export async function writeScoreValues({ duckdb, view }: Writer, scores: string): Promise<void> {
  const records = await recordsSql(duckdb, DATASETS.scores, scores);
  const result = await duckdb.connection.stream(
    `SELECT o.number, ${dayNumberSql('s.measured_at')} AS measured_at, s.value
     FROM (${records}) s LEFT ${idSql('score source', 's.source', 'o')} ORDER BY ALL`,
  );
  const write = createGroupWriter(view);
  let [source, day, values]: [Nullable, Nullable, number[]] = [null, null, []];
  for await (const { columns } of chunksOf(result)) {
    const [sources = [], days = [], sorted = []] = columns as readonly (readonly Nullable[])[];
    for (const [at, value] of sorted.entries()) {
      if (sources[at] !== source || days[at] !== day) {
        write(source, day, Float64Array.from(values));
        [source, day, values] = [sources[at] ?? null, days[at] ?? null, []];
      }
      values.push(Number(value));
    }
  }
  write(source, day, Float64Array.from(values));
}

/** From now on, changes of scores are recorded for {@link followScoreValues}. */
export function recordScoreChanges({ view }: Writer): void {
  const record = (event: string, row: string, isAdded: number) => `
    CREATE TEMP TRIGGER scores_${event} AFTER ${event} ON main.scores BEGIN
      INSERT INTO score_changes VALUES (${row}.source, ${row}.measured_at, ${row}.value, ${isAdded});
    END;`;
  view.exec(`CREATE TEMP TABLE score_changes (source INTEGER, measured_at INTEGER, value REAL, is_added INTEGER);
    ${record('DELETE', 'old', 0)} ${record('INSERT', 'new', 1)}`);
}

interface ScoreChange {
  readonly source: Nullable;
  readonly day: Nullable;
  readonly value: number;
  readonly isAdded: number;
}

/** {@link writeScoreValues} of what changed. */
export function followScoreValues({ view }: Writer): void {
  const write = createGroupWriter(view);
  const read = view
    .prepare<[Nullable, Nullable], Buffer>('SELECT sorted FROM score_values WHERE source IS ? AND measured_at IS ?')
    .pluck();
  const remove = view.prepare('DELETE FROM score_values WHERE source IS ? AND measured_at IS ?');
  const changes = view
    .prepare<[], ScoreChange>('SELECT source, measured_at AS day, value, is_added AS isAdded FROM score_changes')
    .all();
  for (const group of Map.groupBy(changes, ({ source, day }) => `${source} ${day}`).values()) {
    const [{ source, day } = { source: null, day: null }] = group;
    const valuesOf = (isAdded: number) => group.filter((row) => row.isAdded === isAdded).map(({ value }) => value);
    const before = doublesIn(read.get(source, day) ?? Buffer.alloc(0));
    remove.run(source, day);
    const [remaining, added] = [withoutEach(before, valuesOf(0)), valuesOf(1)];
    const values = new Float64Array(remaining.length + added.length);
    values.set(remaining);
    values.set(added, remaining.length);
    write(source, day, values.sort());
  }
}

/** Each removed value once. */
function withoutEach(values: Float64Array, removed: readonly number[]): Float64Array {
  const counts = new Map<number, number>();
  for (const value of removed) counts.set(value, (counts.get(value) ?? 0) + 1);
  return values.filter((value) => {
    const count = counts.get(value) ?? 0;
    if (count > 0) counts.set(value, count - 1);
    return count === 0;
  });
}

/** A group without values is not written. */
function createGroupWriter(view: Writer['view']) {
  const insert = view.prepare('INSERT INTO score_values VALUES (?, ?, ?, ?)');
  return (source: Nullable, day: Nullable, values: Float64Array) => {
    if (values.length === 0) return;
    const sorted = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    insert.run(source, day, sorted, crc32(sorted));
  };
}
