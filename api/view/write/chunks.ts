import { isAscii } from 'node:buffer';
import { type DuckDBDataChunk, type DuckDBResult, DuckDBTypeId, type DuckDBValue } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';

interface Chunk {
  readonly columns: readonly (readonly DuckDBValue[])[];
  readonly rowCount: number;
}

/** DuckDB computes the next chunk while one is consumed. */
export async function* chunksOf(result: DuckDBResult): AsyncGenerator<Chunk> {
  let next = result.fetchChunk();
  for (;;) {
    const chunk = await next;
    if (chunk === null || chunk.rowCount === 0) return;
    next = result.fetchChunk();
    next.catch(() => undefined); // Reported by the await above, unless the consumer stops.
    const columns = Array.from({ length: chunk.columnCount }, (_, index) =>
      result.columnTypeId(index) === DuckDBTypeId.VARCHAR ? textsOf(chunk, index) : chunk.getColumnValues(index),
    );
    yield { columns, rowCount: chunk.rowCount };
  }
}

/** Bytes of a `duckdb_string_t`: its length, and the text, or of a longer one the first four bytes and the address. */
const ENTRY_BYTES = 16;
const INLINE_BYTES_MAX = 12;

/** Padding between texts that were allocated one after the other. More could be memory that is not mapped. */
const GAP_BYTES_MAX = 8;

/**
 * The texts of a column. Those that lie one after the other in memory are read together: DuckDB's client makes a buffer of each, which
 * takes longer than inserting them, and drops a first character U+FEFF.
 */
function textsOf({ chunk, rowCount }: DuckDBDataChunk, index: number): readonly (string | null)[] {
  const entries = new TextEntries(duckdb.data_chunk_get_vector(chunk, index), rowCount);
  const texts: (string | null)[] = [];
  while (texts.length < rowCount) {
    const row = texts.length;
    if (entries.isNull(row)) texts.push(null);
    else if (entries.isInline(row)) texts.push(entries.inlineText(row));
    else texts.push(...entries.adjacentTexts(row));
  }
  return texts;
}

class TextEntries {
  readonly #entries: DataView<ArrayBuffer>;
  readonly #rowCount: number;
  readonly isNull: (row: number) => boolean;

  constructor(vector: duckdb.Vector, rowCount: number) {
    const { buffer, byteOffset, byteLength } = duckdb.vector_get_data(vector, rowCount * ENTRY_BYTES);
    this.#entries = new DataView(buffer as ArrayBuffer, byteOffset, byteLength);
    this.#rowCount = rowCount;
    this.isNull = nullsOf(vector, rowCount);
  }

  isInline(row: number): boolean {
    return this.#length(row) <= INLINE_BYTES_MAX;
  }

  inlineText(row: number): string {
    const { buffer, byteOffset } = this.#entries;
    return Buffer.from(buffer, byteOffset + row * ENTRY_BYTES + 4, this.#length(row)).toString();
  }

  /** Those of a row and of the rows after it that follow in memory; none is inline. */
  adjacentTexts(first: number): readonly string[] {
    const start = this.#address(first);
    let end = this.#length(first);
    const places = [{ from: 0, to: end }];
    for (let row = first + 1; row < this.#rowCount && !this.isNull(row) && !this.isInline(row); row += 1) {
      const from = this.#address(row) - start;
      if (from < end || from > end + GAP_BYTES_MAX) break;
      end = from + this.#length(row);
      places.push({ from, to: end });
    }
    const { buffer, byteOffset } = this.#entries;
    const sliceText = slicerOf(duckdb.get_data_from_pointer(buffer, byteOffset + first * ENTRY_BYTES + 8, end));
    return places.map(({ from, to }) => sliceText(from, to));
  }

  #length(row: number): number {
    return this.#entries.getUint32(row * ENTRY_BYTES, true);
  }

  /** Has fewer bits than a double keeps. */
  #address(row: number): number {
    return Number(this.#entries.getBigUint64(row * ENTRY_BYTES + 8, true));
  }
}

/** Whether a row is null. */
function nullsOf(vector: duckdb.Vector, rowCount: number): (row: number) => boolean {
  // Absent if no row is null.
  const bits: Uint8Array | null = duckdb.vector_get_validity(vector, Math.ceil(rowCount / 64) * 8);
  if (!bits) return () => false;
  return (row) => (((bits[row >> 3] ?? 0) >> (row & 7)) & 1) === 0;
}

/** Texts between two positions of UTF-8 bytes. */
function slicerOf({ buffer, byteOffset, byteLength }: Uint8Array): (from: number, to: number) => string {
  const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  if (!isAscii(bytes)) return (from, to) => bytes.toString('utf8', from, to);
  const text = bytes.toString('latin1');
  return (from, to) => text.slice(from, to);
}
