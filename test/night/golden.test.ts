/**
 * Every fixture source, night by night, against `fixtures/<source>/expected/<night>/`: what was published, line by line,
 * what changed, what history closed, what was found wrong. `fixtures/README.md` tells what each day shows.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { NightResult } from '../../pipeline/night/night-result.ts';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import type { Day } from '../../runtime/day.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { expectReplay } from '../support/pipeline/consumer.ts';
import {
  listReleaseKeys,
  listReleases,
  listUntidyRuns,
  readChanges,
  readHistory,
  readIssues,
  readOpenIntervals,
  readRelease,
  readSnapshot,
  readSuspects,
} from '../support/pipeline/published.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import {
  fixtureSource,
  type NightOptions,
  openTemporaryStore,
  type TemporaryStore,
} from '../support/pipeline/temporary-store.ts';
import { RELEASE_FILES } from '../support/pipeline/use-republish.ts';
import { goldenFiles, type TextFiles } from './golden-files.ts';

/** What a night publishes, and nothing else. */
const RELEASE_KEYS = [...RELEASE_FILES].sort();

interface FixtureNight extends NightOptions {
  readonly day: Day;
  /** Tells the nights of one day apart. */
  readonly suffix?: string;
}

/** Sources whose days are not simply run in order; see fixtures/README.md. */
const HELD_NIGHTS: readonly FixtureNight[] = [
  { day: '2026-06-01' },
  { day: '2026-06-02' },
  { day: '2026-06-02', accept: true, suffix: '.accepted' },
  { day: '2026-06-03' },
  { day: '2026-06-03', accept: true, acceptSuspects: ['pricing:model-a:shop'], suffix: '.accepted' },
  { day: '2026-06-04' },
];

const SOURCES: readonly { readonly name: string; readonly nights: readonly FixtureNight[] }[] = [
  { name: 'days', nights: await nightsOfSource('days') },
  { name: 'upstream', nights: await nightsOfSource('upstream') },
  { name: 'held', nights: HELD_NIGHTS },
  { name: 'rejected', nights: await nightsOfSource('rejected') },
];

describe.each(SOURCES)('the nights of fixtures/$name', ({ name, nights }) => {
  const source = fixtureSource(name);
  let store: TemporaryStore;
  beforeAll(async () => {
    store = await openTemporaryStore();
  });
  afterAll(() => store.dispose());

  it.each(nights.map((night) => ({ ...night, folder: night.day + (night.suffix ?? '') })))(
    '$folder gives exactly the expected files',
    async ({ day, folder, ...options }) => {
      const result = await store.night(source, day, options);
      const files = await describeNight(store, source, result);
      expect(files).toEqual(await goldenFiles(join(source, 'expected', folder), files));
    },
  );

  it('publish exactly the keys of a release, and leave nothing else in the store or in the work folder', async () => {
    const releases = await listReleases(store);
    for (const entry of releases) expect(await listReleaseKeys(store, entry)).toEqual(RELEASE_KEYS);
    expect(await listAllKeys(store)).toHaveLength(1 + releases.length * RELEASE_KEYS.length);
    expect(await listUntidyRuns(store)).toEqual([]);
  });

  it('give each snapshot from the one before by the events of the feed, byte for byte', () => expectReplay(store));

  it('are all expected: no folder of expected files is without its night', async () => {
    const folders = nights.map(({ day, suffix }) => day + (suffix ?? ''));
    expect((await readdir(join(source, 'expected'))).sort()).toEqual([...folders].sort());
  });
});

/** The bytes of everything in a release that may not tell its run; and what tells it. */
async function contentsOf(store: TemporaryStore) {
  const entries = await listReleases(store);
  const releases = await Promise.all(entries.map((entry) => readRelease(store, entry)));
  const files = releases.flatMap((release) => release.files.filter(({ path }) => !path.endsWith('manifest.json')));
  const runs = entries.map(({ day, run, published_at }) => `${day} ${run} ${published_at}`);
  return { datasets: releases.map(({ manifest }) => manifest.datasets), files, runs };
}

it('the same source gives the same bytes of snapshots, events and history, whichever run publishes it, and when', async () => {
  const options = [{}, { runPrefix: 'SECOND', startsAt: '19:07:31.456Z', threads: 2 }];
  const [first, second] = await Promise.all(options.map(openTemporaryStore));
  if (first === undefined || second === undefined) throw new Error('two stores were opened');
  onTestFinished(async () => void (await Promise.all([first.dispose(), second.dispose()])));
  // On the last of these days rows are bad.
  const days = (await listSourceDays(fixtureSource('days'))).slice(0, 5);
  for (const store of [first, second]) await publishFromFixture('days', store, days);
  const { runs, ...contents } = await contentsOf(first);
  const { runs: others, ...again } = await contentsOf(second);
  expect(others.filter((run) => runs.includes(run))).toEqual([]);
  expect(contents.datasets).toHaveLength(days.length);
  expect(again).toEqual(contents);
});

async function nightsOfSource(name: string): Promise<readonly FixtureNight[]> {
  return (await listSourceDays(fixtureSource(name))).map((day) => ({ day }));
}

async function describeNight(store: TemporaryStore, source: string, result: NightResult): Promise<TextFiles> {
  const problems = { 'issues.jsonl': await readIssues(result.report) };
  const entry = (await listReleases(store)).at(-1);
  if (result.status !== 'published' || entry === undefined) {
    return { ...problems, 'result.json': jsonText(withoutPaths(result, source)) };
  }
  const { captured, last_captured, quarantined, orphans, accepted } = await readRelease(store, entry);
  const release = { captured, last_captured, quarantined, orphans, accepted };
  const snapshots = DATASET_NAMES.map(
    async (dataset) => [`${dataset}.jsonl`, await readSnapshot(store, entry, dataset)] as const,
  );
  return {
    ...problems,
    ...Object.fromEntries(await Promise.all(snapshots)),
    'changes.jsonl': await readChanges(store, entry),
    'history.jsonl': await readHistory(store, entry),
    'open.jsonl': await readOpenIntervals(store, entry),
    'suspects.jsonl': await readSuspects(store, entry),
    'result.json': jsonText({ ...withoutPaths(result, source), release }),
  };
}

/** A night's result without what depends on where the test runs. */
function withoutPaths({ report: _, ...result }: NightResult, source: string): object {
  return JSON.parse(JSON.stringify(result).replaceAll(source, '<source>')) as object;
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function listAllKeys({ deps }: TemporaryStore): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of deps.store.list('')) keys.push(key);
  return keys;
}
