/** Nights around a change of version that don't go as planned, and changes of version that are not the usual one. */

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type NightDeps, runNight } from '../../pipeline/night/night.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import type { Day } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import { manifestsOf } from '../../schemas/release.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { perTest } from '../support/per-test.ts';
import { expectReplay, readFeed } from '../support/pipeline/consumer.ts';
import { listReleases, newestOf, readChanges, readRelease } from '../support/pipeline/published.ts';
import { beforePut } from '../support/pipeline/store-with.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { verifyDeps } from '../support/pipeline/upkeep.ts';
import { versionOneOne, versionsWith, versionTwo } from '../support/schemas/record-versions.ts';
import { useFolder } from '../support/temporary-folder.ts';
import {
  AFTER,
  BEFORE,
  CUTOVER,
  DAYS,
  LAST,
  NOTICE,
  publishVersionedDays,
  VERSIONS,
  writeVersionedDays,
} from '../worlds/versioned-days.ts';

const source = useFolder();
beforeAll(() => writeVersionedDays(source()));
const store = perTest(() => openUntilEnd(VERSIONS));

async function openUntilEnd(versions: readonly RecordVersion[]): Promise<TemporaryStore> {
  const opened = await openTemporaryStore({ versions });
  onTestFinished(opened.dispose);
  return opened;
}

function publish(days: readonly Day[], to = store): Promise<void> {
  return publishVersionedDays(to, source(), days);
}

const releasesOf = async (of: TemporaryStore) =>
  Promise.all((await listReleases(of)).map((entry) => readRelease(of, entry)));
const versionsOf = async (of: TemporaryStore) =>
  (await releasesOf(of)).flatMap(manifestsOf).map(({ schema_version }) => schema_version);

function nightWith(day: Day, deps: Partial<NightDeps>) {
  const request = { day, source: source(), dryRun: false, accept: false, acceptSuspects: [] };
  return runNight(request, { ...store.deps, clock: () => new Date(`${AFTER}T00:20:00Z`), ...deps });
}

async function expectWhole(of: TemporaryStore, versions: readonly RecordVersion[]): Promise<void> {
  const releases = await listReleases(of);
  const verified = await verify('all', { ...verifyDeps(of.deps.workFolder), store: of.deps.store, versions });
  expect(verified).toMatchObject({ ok: true, replayed: releases.length - 1, problems: [] });
  await expectReplay(of);
}

/** The store, where the process dies at a write, told by its number or key: neither that one nor any later one happens. */
function dyingAt(fatal: number | string): ObjectStore {
  let [writes, isDead] = [0, false];
  return beforePut(store.deps.store, (key) => {
    writes += 1;
    isDead ||= writes === fatal || key.endsWith(`/${fatal}`);
    if (isDead) throw new AppError('store_unavailable', 'killed');
  });
}

describe('a night of the notice or of the cutover that is killed', { timeout: 120_000 }, () => {
  it.each([NOTICE, CUTOVER])('at any write leaves the day before, and the rerun publishes (%s)', async (day) => {
    const undisturbed = await openUntilEnd(VERSIONS);
    const before = DAYS.filter((candidate) => candidate < day);
    await publish([...before, day], undisturbed);
    const expected = await newestOf(undisturbed);
    const { files } = await readRelease(undisturbed, expected);
    await publish(before);
    // A file in the middle, and the catalog, which comes after release.json: the mark that comes after is no failure.
    for (const write of [files.length >> 1, files.length + 2]) {
      await expect(nightWith(day, { store: dyingAt(write) })).rejects.toThrow('killed');
      expect((await listReleases(store)).map((entry) => entry.day)).toEqual(before);
    }
    await publish([day]);
    const published = await newestOf(store);
    expect(await readChanges(store, published)).toBe(await readChanges(undisturbed, expected));
    const withoutManifests = (all: typeof files) => all.filter(({ path }) => !path.endsWith('manifest.json'));
    expect(withoutManifests((await readRelease(store, published)).files)).toEqual(withoutManifests(files));
  });

  it('after the swap has published: run again, it finds the day done and sends nothing twice', async () => {
    await publish([NOTICE, LAST]);
    expect(await nightWith(CUTOVER, { store: dyingAt('published') })).toMatchObject({ status: 'published' });
    const feed = await readFeed(store, await listReleases(store));
    expect(await store.night(source(), CUTOVER)).toMatchObject({ status: 'already_published' });
    expect(await readFeed(store, await listReleases(store))).toEqual(feed);
  });
});

describe('the cutover', () => {
  it('happens on the first night on or after its day, and once, and is told to the operator', async () => {
    await publish([NOTICE, LAST]);
    const { warnings } = await store.night(source(), AFTER);
    expect(warnings).toContainEqual(
      expect.stringMatching(/^version 2\.0 of the records takes effect: \d+ unchanged records are sent again in it$/),
    );
    const releases = await listReleases(store);
    expect(releases.map(({ schema_version }) => schema_version)).toEqual(['1.0', '1.0', '2.0']);
    const events = (await readFeed(store, releases)).filter(({ occurred_on }) => occurred_on === AFTER);
    expect(events.filter(({ op }) => op === 'upsert')).toHaveLength(5 + 5 + 3 + 3);
    await expectWhole(store, VERSIONS);
  });

  it('is not undone by a program that does not know the version in force', async () => {
    await publish([NOTICE, CUTOVER]);
    const night = nightWith(AFTER, { versions: RECORD_VERSIONS, clock: () => new Date('2026-05-03T00:20:00Z') });
    const message = expect.stringContaining('does not know version 2.0 of the records');
    await expect(night).rejects.toMatchObject({ code: 'usage', message });
    expect(await listReleases(store)).toHaveLength(2);
  });

  it('is not undone by a program in which it comes later: what was reached stays, and nothing is sent anew', async () => {
    await publish([NOTICE, CUTOVER]);
    const later = { versions: versionsWith(versionTwo('2026-06-01')), clock: () => new Date('2026-05-03T00:20:00Z') };
    expect(await nightWith(AFTER, later)).toMatchObject({ status: 'published' });
    expect((await versionsOf(store)).slice(-2)).toEqual(['2.0', '2.0']);
    expect((await releasesOf(store)).at(-1)).not.toHaveProperty('first_renewal_seq');
  });
});

describe('a store whose first night runs after the cutover', () => {
  it('begins in the version in force and goes on in it, whatever days are captured, with nothing to send anew', async () => {
    for (const [day, morning] of [
      [BEFORE, CUTOVER],
      [LAST, AFTER],
    ] as const) {
      const late = { clock: () => new Date(`${morning}T00:20:00Z`) };
      expect(await nightWith(day, late)).toMatchObject({ status: 'published' });
    }
    expect(await versionsOf(store)).toEqual(['2.0', '2.0']);
    for (const release of await releasesOf(store)) expect(release).not.toHaveProperty('first_renewal_seq');
    await expectWhole(store, VERSIONS);
  });

  it('that began between two cutovers has only the later one to send anew', async () => {
    const versions = versionsWith(versionOneOne(NOTICE), versionTwo(CUTOVER, '2026-04-01'));
    const between = await openUntilEnd(versions);
    await publish([BEFORE, LAST, CUTOVER], between);
    const released = await releasesOf(between);
    expect(released.map(({ schema_version }) => schema_version)).toEqual(['1.1', '1.1', '2.0']);
    expect(released.map(({ first_renewal_seq }) => first_renewal_seq !== undefined)).toEqual([false, false, true]);
    await expectWhole(between, versions);
  });
});
