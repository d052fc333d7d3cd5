import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { linesOf } from '../support/client/service.ts';
import { runCli, startCli } from '../support/processes/cli.ts';
import { type Check, compareCounts, killWithin, type Lane, type PartOptions, type World } from './kills.ts';

const COPIES = ['copy.duckdb', 'copy.sqlite', 'copy'] as const;
/** How long the first sync may live; then it is as long as syncs take on this machine. */
const FIRST_LIFE_MS = 1_000;
/** After a sync that ended by itself, mostly because the server was just killed. */
const PAUSE_MS = 200;

/** Copies of each kind, synced from a server that is killed, too. */
export function openSyncing({ folder, store, storeFolder }: World, { env, kills, chooser }: PartOptions): Lane {
  const places = COPIES.map((name) => join(folder, name));
  const words = (into: string) => ['sync', '--into', into, '--history', '--json'];
  let lifeMs = FIRST_LIFE_MS;
  let completed = 0;
  return {
    kills,
    async run() {
      while (kills.areLeft) {
        const cli = startCli(words(chooser.pick(places)), { env });
        const startedAt = performance.now();
        if (await killWithin(cli, lifeMs, chooser)) {
          kills.count();
          lifeMs *= 1.01;
        } else if ((await cli.ended).code === 0) {
          completed += 1;
          lifeMs = (lifeMs + (performance.now() - startedAt)) / 2;
        } else await sleep(PAUSE_MS);
      }
    },
    async finish() {
      const expected = await publishedLines(store, storeFolder);
      console.info(`${completed} syncs came to their end between those that were killed`);
      const checks: Check[] = [];
      for (const place of places) checks.push(await compare(place, expected));
      return checks;
    },
  };

  async function compare(place: string, expected: string): Promise<Check> {
    const synced = await runCli(words(place), { env });
    const proven = await runCli(['sync', '--into', place, '--check'], { env });
    const lines = Object.values(await linesOf(place)).join('');
    const remark = synced.code === 0 && proven.code === 0 ? '' : `${synced.stderr}${proven.stderr}`.trim();
    const what = `records of ${place.slice(folder.length + 1)}, of the newest snapshot`;
    return {
      ...compareCounts(what, countLines(expected), countLines(lines), remark),
      holds: synced.code === 0 && proven.code === 0 && lines === expected,
    };
  }
}

async function publishedLines(store: ObjectStore, folder: string): Promise<string> {
  const newest = (await loadCatalog(store)).catalog?.releases.at(-1);
  if (newest === undefined) throw new Error('nothing is published');
  const files = DATASET_NAMES.map((name) => readFile(join(folder, releaseKey(newest, RELEASE_PATHS.snapshot(name)))));
  return (await Promise.all(files)).map((file) => gunzipSync(file).toString('utf8')).join('');
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
