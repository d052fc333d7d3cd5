import { listValue } from '@duckdb/node-api';
import { insertRows, type Writer } from './writer.ts';

/** An event as it is sent (specification "Change events"); `data` is stored as the JSON text of the record. */
const EVENT_SQL = `concat('{"seq":', seq, ',"occurred_on":"', occurred_on, '","entity_type":"', entity_type,
  '","entity_id":', CAST(to_json(entity_id) AS VARCHAR), ',"key":', key, ',"op":"', op, '","data":', coalesce(data, 'null'),
  ',"schema_version":"', schema_version, '"}')`;

export interface EventsInput {
  /** Parquet files with the events that the view does not have. */
  readonly changes: readonly string[];
  /** The first event that stays in the feed. */
  readonly firstSeq: number;
}

/** Adds events, and removes those that left the feed. */
export async function writeEvents(writer: Writer, { changes, firstSeq }: EventsInput): Promise<void> {
  writer.view.prepare('DELETE FROM events WHERE seq < ?').run(firstSeq);
  if (changes.length === 0) return;
  await insertRows(writer, {
    into: 'INSERT INTO events',
    sql: `SELECT seq::DOUBLE, entity_type, ${EVENT_SQL} FROM read_parquet($1) WHERE seq >= $2`,
    values: [listValue([...changes]), firstSeq],
    checked: [2],
  });
}
