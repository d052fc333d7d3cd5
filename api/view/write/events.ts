import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { listValue } from '@duckdb/node-api';
import { AppError } from '../../../runtime/errors.ts';
import type { Writer } from './writer.ts';

/** An event as it is sent (specification "Change events"); `data` is stored as the JSON text of the record. */
const EVENT_SQL = `concat('{"seq":', seq, ',"occurred_on":"', occurred_on, '","entity_type":"', entity_type,
  '","entity_id":', CAST(to_json(entity_id) AS VARCHAR), ',"key":', key, ',"op":"', op, '","data":', coalesce(data, 'null'),
  ',"schema_version":"', schema_version, '"}')`;

/** Events per block. Larger: a page of few events unpacks more. Smaller: worse compression. */
const BLOCK_EVENTS = 250;

/** Blocks compressed at once, off the thread. */
const BATCH_BLOCKS = 16;

export interface EventsInput {
  /** Parquet files of the events that the view lacks, in order. */
  readonly changes: readonly string[];
  /** The first event that stays in the feed. */
  readonly firstSeq: number;
}

/** Adds events, and removes those that left the feed. Rejects with `corrupt` if an event is missing. */
export async function writeEvents({ duckdb, view }: Writer, { changes, firstSeq }: EventsInput): Promise<void> {
  view.prepare('DELETE FROM events WHERE first_seq + length(types) <= ?').run(firstSeq);
  if (changes.length === 0) return;
  const blocks = new BlockWriter(view);
  const result = await duckdb.connection.stream(
    `SELECT seq::DOUBLE, entity_type[1], ${EVENT_SQL} FROM read_parquet($1) WHERE seq >= $2`,
    [listValue([...changes]), firstSeq],
  );
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const [seqs = [], types = [], events = []] = chunk.getColumns();
    for (const [at, seq] of seqs.entries()) {
      blocks.add({ seq: Number(seq), type: String(types[at]), event: String(events[at]) });
      if (blocks.isFull) await blocks.flush();
    }
  }
  await blocks.flush();
}

interface Block {
  readonly firstSeq: number;
  /** One letter per event. */
  types: string;
  readonly events: string[];
}

class BlockWriter {
  readonly #insert: ReturnType<typeof prepareInsert>;
  #blocks: Block[] = [];
  #lastSeq: number | undefined;

  constructor(view: Writer['view']) {
    this.#insert = prepareInsert(view);
  }

  get isFull(): boolean {
    return this.#blocks.length === BATCH_BLOCKS && this.#blocks.at(-1)?.events.length === BLOCK_EVENTS;
  }

  add({ seq, type, event }: { readonly seq: number; readonly type: string; readonly event: string }): void {
    const expected = this.#lastSeq === undefined ? seq : this.#lastSeq + 1;
    if (seq !== expected) throw new AppError('corrupt', `event ${expected} is missing; event ${seq} follows`);
    this.#lastSeq = seq;
    let block = this.#blocks.at(-1);
    if (block === undefined || block.events.length === BLOCK_EVENTS) {
      block = { firstSeq: seq, types: '', events: [] };
      this.#blocks.push(block);
    }
    block.types += type;
    block.events.push(event);
  }

  async flush(): Promise<void> {
    const packed = this.#blocks.map(({ events }) => pack(events.join(','), { level: 1 }));
    for (const [at, { firstSeq, types }] of this.#blocks.entries()) {
      this.#insert.run([firstSeq, types, await packed[at]]);
    }
    this.#blocks = [];
  }
}

function prepareInsert(view: Writer['view']) {
  return view.prepare<unknown[]>('INSERT INTO events VALUES (?, ?, ?)');
}

const pack = promisify<string, { readonly level: number }, Buffer>(gzip);
