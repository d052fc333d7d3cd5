/**
 * The proof that a snapshot in a version under notice holds the same records as the one in force: no event leads to it until
 * the cutover, so nothing else would tell. Like replay it works on the written lines and knows nothing of how SQL built them.
 */
import { type Dataset, publishedColumns, publishedName } from '../../schemas/datasets.ts';
import { canonicalLine, type PublishedRecord } from '../../schemas/records.ts';
import type { LineReader } from '../../storage/gzip-lines.ts';

/** The lines of a dataset in one version of the records. */
export interface DatasetLines {
  readonly dataset: Dataset;
  readonly lines: LineReader;
}

export interface SameRecordsInput {
  readonly inForce: DatasetLines;
  readonly noticed: DatasetLines;
}

/**
 * Walks to the end of both; resolves to what is wrong, or undefined where each line under notice is the canonical one, in its
 * version, of the record in the line in force. Of a field that the version in force doesn't have, only the form is known.
 */
export async function findRecordFault({ inForce, noticed }: SameRecordsInput): Promise<string | undefined> {
  for (;;) {
    const old = (await inForce.lines.readLine())?.toString('utf8');
    const now = (await noticed.lines.readLine())?.toString('utf8');
    if (old === undefined && now === undefined) return undefined;
    if (old === undefined || now === undefined) return `${show(now)} stands beside ${show(old)}`;
    const columns = { ...columnsFromLine(noticed.dataset, now), ...columnsFromLine(inForce.dataset, old) };
    if (canonicalLine(noticed.dataset.name, columns, noticed.dataset) !== now) {
      return `${show(now)} is not the record of ${show(old)}`;
    }
    inForce.lines.skip(Buffer.byteLength(old) + 1);
    noticed.lines.skip(Buffer.byteLength(now) + 1);
  }
}

/** A line's values, by column. */
function columnsFromLine(dataset: Dataset, line: string): PublishedRecord {
  const record: PublishedRecord = JSON.parse(line);
  return Object.fromEntries(
    publishedColumns(dataset).map((column) => [column.name, record[publishedName(column)] ?? null]),
  );
}

function show(line: string | undefined): string {
  return line === undefined ? 'the end' : line.slice(0, 300);
}
