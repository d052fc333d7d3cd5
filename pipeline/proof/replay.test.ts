import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DATASET_NAMES, DATASETS } from '../../schemas/datasets.ts';
import { canonicalLine, type PublishedRecord } from '../../schemas/records.ts';
import { LineReader } from '../../storage/gzip-lines.ts';
import { anyRecord } from '../../test/support/schemas/arbitrary-record.ts';
import { versionTwo } from '../../test/support/schemas/record-versions.ts';
import { findRecordFault, findReplayFault } from './replay.ts';

type Records = ReadonlyMap<string, number>;

const start = (id: string) => `{"id":${JSON.stringify(id)},`;
const line = (id: string, value: number) => `${start(id)}"value":${value}}`;
const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));
const sorted = (keys: Iterable<string>) => [...keys].sort(byBytes);
const linesOf = (day: Records) => sorted(day.keys()).map((id) => line(id, day.get(id) ?? 0));
const upsert = (id: string, value: number) => `${start(id)}\t${line(id, value)}`;
const remove = (id: string) => `${start(id)}\t`;

function eventsBetween(before: Records, after: Records): readonly string[] {
  return sorted(new Set([...before.keys(), ...after.keys()])).flatMap((id) => {
    const [old, now] = [before.get(id), after.get(id)];
    if (old === now) return [];
    return now === undefined ? [remove(id)] : [upsert(id, now)];
  });
}

/** Cuts the text into chunks of a few bytes, so that lines lie across them. */
function readerOf(lines: readonly string[], chunkBytes: number): LineReader {
  const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
  const count = Math.ceil(bytes.length / chunkBytes);
  const chunks = Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  return new LineReader(Readable.from(chunks));
}

interface Days {
  readonly before: readonly string[];
  readonly events: readonly string[];
  readonly after: readonly string[];
  readonly isRenewed?: boolean;
}

function faultOf(
  { before, events, after, isRenewed = false }: Days,
  chunkBytes = 1 << 20,
): Promise<string | undefined> {
  return findReplayFault({
    key: ['id'],
    before: readerOf(before, chunkBytes),
    events: readerOf(events, chunkBytes),
    after: readerOf(after, chunkBytes),
    isRenewed,
  });
}

const ids = fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', ' ', '!', '"', '\\', 'é', '🎉') });
const records = fc.uniqueArray(fc.tuple(ids, fc.nat(3)), { selector: ([id]) => id }).map((pairs) => new Map(pairs));
const anyChunk = fc.integer({ min: 1, max: 60 });
const two = [line('a', 1), line('b', 1)];

describe('a replay', () => {
  test('follows for any two days and the events between them, however the bytes come', async () => {
    const property = fc.asyncProperty(records, records, anyChunk, async (before, after, chunk) => {
      const days = { before: linesOf(before), events: eventsBetween(before, after), after: linesOf(after) };
      expect(await faultOf(days, chunk)).toBeUndefined();
    });
    await fc.assert(property);
  });

  test('does not follow when any one event, or any one line of a day, is missing or doubled', async () => {
    const property = fc.asyncProperty(
      records,
      records,
      fc.nat(),
      fc.boolean(),
      async (before, after, at, isDoubled) => {
        const days = { before: linesOf(before), events: eventsBetween(before, after), after: linesOf(after) };
        for (const part of ['before', 'events', 'after'] as const) {
          const index = at % Math.max(1, days[part].length);
          const change = isDoubled ? days[part].slice(index, index + 1).flatMap((text) => [text, text]) : [];
          const damaged = [...days[part].slice(0, index), ...change, ...days[part].slice(index + 1)];
          const isReplaced = part === 'before' && isEventAt(days, index);
          if (days[part].length > 0 && !isReplaced) expect(await faultOf({ ...days, [part]: damaged })).toBeDefined();
        }
      },
    );
    await fc.assert(property);
  });

  test('finds one changed byte among many blocks of equal lines', async () => {
    const before = Array.from({ length: 20_000 }, (_, index) => line(`model-${100_000 + index}`, index));
    for (const index of [0, 1, 9_999, 19_998, 19_999]) {
      const after = before.with(index, line(`model-${100_000 + index}`, -1));
      expect(await faultOf({ before, events: [], after })).toContain(`model-${100_000 + index}`);
      expect(await faultOf({ before, events: [upsert(`model-${100_000 + index}`, -1)], after })).toBeUndefined();
    }
    expect(await faultOf({ before, events: [], after: before })).toBeUndefined();
  });

  test.each([
    ['an event that changes nothing', { before: two, events: [upsert('a', 1)], after: two }],
    ['a delete of what is still there', { before: two, events: [remove('a')], after: two }],
    ['a delete of what never was', { before: two, events: [remove('c')], after: two }],
    [
      'data of another record',
      { before: two, events: [`${start('a')}\t${line('b', 2)}`], after: [two[0] ?? '', line('b', 2)] },
    ],
    ['a new line before its place', { before: two, events: [upsert('c', 1)], after: [line('c', 1), ...two] }],
    ['a new line after its place', { before: two, events: [upsert('A', 1)], after: [...two, line('A', 1)] }],
    ['a new line of a key that is there', { before: two, events: [upsert('a', 2)], after: [line('a', 2), ...two] }],
    ['new lines out of order', { before: [], events: [upsert('b', 1), upsert('a', 1)], after: two }],
    ['a new line twice', { before: [], events: [upsert('a', 1), upsert('a', 1)], after: [line('a', 1), line('a', 1)] }],
  ])('does not follow with %s', async (_, days) => {
    expect(await faultOf(days)).toBeDefined();
  });
});

describe('a replay of a night that sends every record anew', () => {
  /** An event for every record of both days, changed or not. */
  const renewal = (before: Records, after: Records) =>
    sorted(new Set([...before.keys(), ...after.keys()])).map((id) => {
      const now = after.get(id);
      return now === undefined ? remove(id) : upsert(id, now);
    });

  test('follows for any two days, whether or not lines change, however the bytes come', async () => {
    const property = fc.asyncProperty(records, records, anyChunk, async (before, after, chunk) => {
      const days = { before: linesOf(before), events: renewal(before, after), after: linesOf(after) };
      expect(await faultOf({ ...days, isRenewed: true }, chunk)).toBeUndefined();
    });
    await fc.assert(property);
  });

  test('does not follow when the event of any record, changed or not, is missing or doubled', async () => {
    const property = fc.asyncProperty(records, records, fc.nat(), async (before, after, at) => {
      const events = renewal(before, after);
      if (events.length === 0) return;
      const index = at % events.length;
      const days = { before: linesOf(before), after: linesOf(after), isRenewed: true };
      expect(await faultOf({ ...days, events: events.toSpliced(index, 1) })).toBeDefined();
      expect(await faultOf({ ...days, events: events.toSpliced(index, 0, events[index] ?? '') })).toBeDefined();
    });
    await fc.assert(property);
  });
});

/** True where yesterday's line of that index is replaced or deleted: without it the upsert is that of a new record. */
function isEventAt({ before, events }: Days, index: number): boolean {
  const text = before[index] ?? '';
  return events.some((event) => text.startsWith(event.slice(0, event.indexOf('\t'))));
}

describe.each(DATASET_NAMES)('%s in two versions', (name) => {
  const [first, second] = [DATASETS[name], versionTwo('2026-05-01').datasets[name]];
  /** With every column that either version publishes. */
  const record = fc
    .tuple(anyRecord(second), anyRecord(first))
    .map((both) => Object.assign({}, ...both) as PublishedRecord);
  const anyRecords = fc.array(record, { minLength: 1, maxLength: 8 });
  const canonical = (all: readonly PublishedRecord[], dataset = first) =>
    all.map((each) => canonicalLine(name, each, dataset));
  const recordFaultOf = (inForce: readonly string[], noticed: readonly string[]) =>
    findRecordFault({
      inForce: { dataset: first, lines: readerOf(inForce, 1 << 20) },
      noticed: { dataset: second, lines: readerOf(noticed, 1 << 20) },
    });

  test('are the same records where each line is that of its record', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, async (all) => {
        expect(await recordFaultOf(canonical(all), canonical(all, second))).toBeUndefined();
      }),
    );
  });

  test('are not where a line is missing, doubled, or has another character in what both publish', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, fc.nat(), async (all, at) => {
        const [inForce, noticed] = [canonical(all), canonical(all, second)];
        const index = at % all.length;
        const text = noticed[index] ?? '';
        expect(await recordFaultOf(inForce, noticed.toSpliced(index, 1))).toBeDefined();
        expect(await recordFaultOf(inForce, noticed.toSpliced(index, 0, text))).toBeDefined();
        expect(await recordFaultOf(inForce, noticed.with(index, text.replace('":"', '":"x')))).toBeDefined();
        expect(await recordFaultOf(inForce, noticed.with(index, text.replace(':', ': ')))).toBeDefined();
      }),
    );
  });
});
