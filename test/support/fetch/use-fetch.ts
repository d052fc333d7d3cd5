import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FetchLimits } from '../../../pipeline/fetch/fetch-file.ts';
import { type FetchDeps, fetchSource } from '../../../pipeline/fetch/fetch-source.ts';
import { UpstreamClient } from '../../../pipeline/fetch/upstream-client.ts';
import { type FetchRecord, readFetchRecord } from '../../../pipeline/source/fetch-record.ts';
import { loadSettings } from '../../../pipeline/source/source-settings.ts';
import { LOOPBACK } from '../server/outbound-settings.ts';
import { newFolder } from '../temporary-folder.ts';
import { FETCH_SETUP } from './fetch-setup.ts';
import { UpstreamServer } from './upstream-server.ts';

export interface FetchChoices {
  readonly limits?: Partial<FetchLimits>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly isLoopbackAllowed?: boolean;
  readonly onEnd?: FetchDeps['onEnd'];
  /** The instant at which everything happens. */
  readonly now?: string;
  readonly countParquetRows?: FetchDeps['countParquetRows'];
}

type FileRecord = Partial<FetchRecord['files'][number]> & { readonly problems: readonly string[] };

/** A source, its archive and its upstream, until the test is over. */
export type FetchPlace = Awaited<ReturnType<typeof useFetch>>;

export const FETCH_DAY = '2026-06-01';

export async function useFetch() {
  const server = await UpstreamServer.start();
  const folder = await newFolder();
  onTestFinished(() => server.close());
  const [root, into] = [join(folder, 'source'), join(folder, 'archive')];
  await mkdir(root);
  const waits: number[] = [];
  /** Writes `source.json`, with one upstream, `shop`; its addresses begin with the server's. */
  const source = async (entries: readonly object[], more: Readonly<Record<string, string>> = {}) => {
    const upstreams = [{ id: 'shop', name: 'The shop', url: server.url }];
    const settings = { upstreams, fetch: entries.map((entry) => withUrl(entry, server.url)) };
    await writeFile(join(root, 'source.json'), JSON.stringify(settings));
    for (const [name, text] of Object.entries(more)) await writeFile(join(root, name), text);
  };
  const fetch = async ({ day = FETCH_DAY, ...choices }: FetchChoices & { readonly day?: string } = {}) => {
    const settings = await loadSettings(join(root, 'source.json'));
    const client = new UpstreamClient({ allow: choices.isLoopbackAllowed ? LOOPBACK : [], userAgent: 'test/1' });
    try {
      return await fetchSource({ root, settings, into, day }, fetchDeps(client, { ...choices, day, waits }));
    } finally {
      await client.close();
    }
  };
  return {
    server,
    root,
    into,
    /** Waits between attempts so far, in milliseconds; nobody waits. */
    waits,
    source,
    fetch,
    /** Fetches the one file of a source, `/models.json` unless said otherwise, and gives what became of it. */
    fetchFile: async (entry: object = {}, choices: Parameters<typeof fetch>[0] = {}): Promise<FileRecord> => {
      await source([entry]);
      const { record, problems } = await fetch(choices);
      return { ...record.files[0], problems };
    },
    /** The text of a file of a day; undefined where there is none. */
    read: (file: string, day = FETCH_DAY) => readFile(join(into, day, file), 'utf8').catch(() => undefined),
    record: (day = FETCH_DAY) => readFetchRecord(join(into, day)),
  };
}

function withUrl(entry: object, url: string): object {
  const path = 'url' in entry ? String(entry.url) : '/models.json';
  return { upstream: 'shop', file: 'models.json', ...entry, url: path.startsWith('/') ? `${url}${path}` : path };
}

function fetchDeps(
  client: UpstreamClient,
  { limits, now, day, waits, ...choices }: FetchChoices & { readonly day: string; readonly waits: number[] },
): FetchDeps {
  return {
    ...FETCH_SETUP,
    countParquetRows: () => Promise.reject(new Error('no Parquet in this test')),
    ...choices,
    client,
    limits: { ...FETCH_SETUP.limits, ...limits },
    clock: () => new Date(now ?? `${day}T00:05:00Z`),
    sleep: async (ms) => void waits.push(ms),
  };
}
