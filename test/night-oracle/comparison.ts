import { expect } from 'vitest';
import type { NightResult } from '../../pipeline/night/night-result.ts';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import {
  newestOf,
  readChanges,
  readHistory,
  readOpenIntervals,
  readSnapshot,
  readSuspects,
} from '../support/pipeline/published.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { canonicalLine, entityId } from './canonical.ts';
import type { OracleNight } from './state.ts';

/** What a night published, or should have, in one comparable shape. */
export interface PublishedNight {
  readonly snapshot: Readonly<Record<DatasetName, string>>;
  readonly events: readonly string[];
  readonly closed: readonly string[];
  readonly open: readonly string[];
  readonly suspects: readonly string[];
}

/** The pipeline's night and the oracle's agree on everything that is published. */
export async function expectSameNight(store: TemporaryStore, result: NightResult, oracle: OracleNight): Promise<void> {
  expect({ status: result.status, problems: result.problems }).toMatchObject({ status: oracle.verdict });
  if (oracle.verdict !== 'published') return;
  expect(await published(store)).toEqual(expected(oracle));
  expect(result.quarantined).toBe(oracle.quarantined.length);
}

async function published(store: TemporaryStore): Promise<PublishedNight> {
  const entry = await newestOf(store);
  const snapshot: Partial<Record<DatasetName, string>> = {};
  for (const dataset of DATASET_NAMES) snapshot[dataset] = await readSnapshot(store, entry, dataset);
  return {
    snapshot: snapshot as Readonly<Record<DatasetName, string>>, // all names have been filled in
    events: linesOf(await readChanges(store, entry)).map((line) => line.replace(/,"schema_version":"1.0"/, '')),
    closed: sortedLines(await readHistory(store, entry), ({ dataset, record, valid_from, valid_to }) => [
      dataset,
      ...DATASETS[dataset as DatasetName].key.map((part) => (record as Record<string, unknown>)[part]),
      valid_from,
      valid_to,
    ]),
    open: sortedLines(await readOpenIntervals(store, entry), ({ dataset, key, valid_from }) => [
      dataset,
      ...(key as string[]),
      valid_from,
    ]),
    suspects: sortedLines(await readSuspects(store, entry), ({ entity_id, since, days }) => [entity_id, since, days]),
  };
}

function expected({ lines, events, closed, state }: OracleNight): PublishedNight {
  return {
    snapshot: Object.fromEntries(
      DATASET_NAMES.map((name) => [name, lines[name].join('')]),
    ) as PublishedNight['snapshot'],
    events: events.map((event) => canonicalLine(event).trimEnd()),
    closed: closed.map(({ dataset, key, validFrom, validTo }) => row([dataset, ...key, validFrom, validTo])).sort(),
    open: DATASET_NAMES.flatMap((dataset) =>
      [...state.records[dataset].values()].map(({ key, validFrom }) => row([dataset, ...key, validFrom])),
    ).sort(),
    suspects: [...state.pending.values()]
      .map(({ key, since, daysSeen }) => row([entityId(key), since, daysSeen]))
      .sort(),
  };
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

function sortedLines(text: string, pick: (value: Record<string, unknown>) => readonly unknown[]): readonly string[] {
  return linesOf(text)
    .map((line) => row(pick(JSON.parse(line) as Record<string, unknown>)))
    .sort();
}

function row(values: readonly unknown[]): string {
  return JSON.stringify(values);
}
