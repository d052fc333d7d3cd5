import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATASET_NAMES, DATASETS } from '../../schemas/datasets.ts';
import { canonicalLine, type PublishedRecord } from '../../schemas/records.ts';
import { LineReader } from '../../storage/gzip-lines.ts';
import { anyRecord } from '../../test/support/schemas/arbitrary-record.ts';
import { versionTwo } from '../../test/support/schemas/record-versions.ts';
import { findRecordFault } from './replay.ts';

function readerOf(lines: readonly string[]): LineReader {
  return new LineReader(Readable.from(lines.map((line) => Buffer.from(`${line}\n`))));
}

describe.each(DATASET_NAMES)('%s in two versions', (name) => {
  const [one, two] = [DATASETS[name], versionTwo('2026-05-01').datasets[name]];
  /** With every column that either version publishes. */
  const record = fc.tuple(anyRecord(two), anyRecord(one)).map((both) => Object.assign({}, ...both) as PublishedRecord);
  const records = fc.array(record, { minLength: 1, maxLength: 8 });
  const linesOf = (all: readonly PublishedRecord[], dataset = one) =>
    all.map((each) => canonicalLine(name, each, dataset));
  const faultOf = (inForce: readonly string[], noticed: readonly string[]) =>
    findRecordFault({
      inForce: { dataset: one, lines: readerOf(inForce) },
      noticed: { dataset: two, lines: readerOf(noticed) },
    });

  it('are the same records where each line is that of its record', async () => {
    await fc.assert(
      fc.asyncProperty(records, async (all) => {
        expect(await faultOf(linesOf(all), linesOf(all, two))).toBeUndefined();
      }),
    );
  });

  it('are not where a line is missing, doubled, or has another character in what both publish', async () => {
    await fc.assert(
      fc.asyncProperty(records, fc.nat(), async (all, at) => {
        const [inForce, noticed] = [linesOf(all), linesOf(all, two)];
        const index = at % all.length;
        const line = noticed[index] ?? '';
        expect(await faultOf(inForce, noticed.toSpliced(index, 1))).toBeDefined();
        expect(await faultOf(inForce, noticed.toSpliced(index, 0, line))).toBeDefined();
        expect(await faultOf(inForce, noticed.with(index, line.replace('":"', '":"x')))).toBeDefined();
        expect(await faultOf(inForce, noticed.with(index, line.replace(':', ': ')))).toBeDefined();
      }),
    );
  });
});
