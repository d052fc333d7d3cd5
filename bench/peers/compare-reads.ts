import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseKey, snapshotPaths } from '../../storage/keys.ts';
import { runLoad } from '../api/run-load.ts';
import { type Server, startApi } from '../api/servers.ts';
import { type ApiBenchOptions, prepareApi } from '../api/stages.ts';
import { median, type ResultTable } from '../results.ts';
import { findPython } from './peers.ts';
import { prepareReads, READ_PEERS, type ReadRequest } from './read-servers.ts';

const CHANGED = 0.01;
const CONNECTIONS = 8;
/** More than are answered in a round. */
const COLD_REQUESTS = 20_000;

interface Reader {
  readonly name: string;
  readonly server: Server;
  readonly path: (request: ReadRequest) => string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A page of a hundred scores from servers that publish tables as they are, over the same records, in turn: the same page again and
 * again, and one with another bound each time. Without Python, or what it needs, the table has ours alone and says why.
 */
export async function compareReads(
  scores: number,
  { mayInstall, ...options }: ApiBenchOptions & { readonly mayInstall: boolean },
): Promise<ResultTable> {
  const found = await findPython({ mayInstall });
  const missing = 'missing' in found ? found.missing : undefined;
  if (missing !== undefined) options.progress(`peers: left out, ${missing}`);
  const stage = await prepareApi({ scores, changed: CHANGED }, options);
  const api = await startApi({ store: stage.after, view: join(stage.folder, 'view'), env: options.env });
  const readers: Reader[] = [{ name: 'modelstats serve', server: api, path: ownPath, headers: options.headers }];
  if (!('missing' in found)) {
    const folder = join(stage.folder, 'reads');
    await mkdir(folder, { recursive: true });
    const file = releaseKey(stage.release, snapshotPaths(stage.release.manifest).dataset('scores'));
    await prepareReads(folder, join(stage.after, file));
    for (const { name, path, start } of READ_PEERS) {
      readers.push({ name, server: await start(folder, join(found.python, '..')), path, headers: {} });
    }
  }
  const benchmark = await firstBenchmark(api, options.headers);
  const warm = await rounds(readers, options, () => [{ benchmark }]);
  const cold = await rounds(readers, options, (round) =>
    Array.from({ length: COLD_REQUESTS }, (_, n) => ({
      benchmark,
      minValue: `0.${round}${String(n).padStart(6, '0')}`,
    })),
  );
  await Promise.all(readers.map(({ server }) => server.stop()));
  return {
    title: `A page of a hundred of ${scores} scores, beside servers that publish tables as they are`,
    columns: ['server', 'warm requests/s', 'p50 ms', 'processor ms', 'cold requests/s', 'p50 ms', 'processor ms'],
    rows: readers.map(({ name }) => [name, ...(warm.get(name) ?? []), ...(cold.get(name) ?? [])]),
    note:
      'The scores of one benchmark in the order of their key. Warm: the same page; cold: another least value each time. ' +
      `${CONNECTIONS} requests at once, each server in turn; ours with a key, limits and quota, the others without. Medians of ` +
      `${options.repeats} rounds of ${options.seconds} s.${missing === undefined ? '' : ` The others are left out: ${missing}`}`,
  };
}

function ownPath({ benchmark, minValue }: ReadRequest): string {
  return `/v1/scores?limit=100&benchmark=${benchmark}${minValue === undefined ? '' : `&min_value=${minValue}`}`;
}

async function firstBenchmark({ origin }: Server, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${origin}/v1/benchmarks?limit=1`, { headers });
  const { benchmarks } = (await response.json()) as { readonly benchmarks: readonly { readonly id: string }[] }; // As the API documents.
  return encodeURIComponent(benchmarks[0]?.id ?? '');
}

/** Requests per second, p50 and processor time of each, the medians of all rounds. */
async function rounds(
  readers: readonly Reader[],
  { repeats, seconds, progress }: ApiBenchOptions,
  requestsOf: (round: number) => readonly ReadRequest[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const measured = new Map<string, { readonly perSecond: number; readonly p50Ms: number; readonly cpuMs: number }[]>();
  for (let round = 0; round < repeats; round += 1) {
    for (const { name, server, path, headers } of readers) {
      const before = await server.cpuMs();
      const paths = requestsOf(round).map(path);
      const { requests, wallMs, p50Ms } = await runLoad({
        origin: server.origin,
        paths,
        headers,
        seconds,
        connections: CONNECTIONS,
      });
      const cpuMs = ((await server.cpuMs()) - before) / requests;
      measured.set(name, [...(measured.get(name) ?? []), { perSecond: (requests / wallMs) * 1000, p50Ms, cpuMs }]);
    }
  }
  const cells = [...measured].map(([name, all]) => {
    const middle = (value: (one: (typeof all)[number]) => number) => median(all.map(value));
    const row = [
      middle((one) => one.perSecond).toFixed(0),
      middle((one) => one.p50Ms).toFixed(1),
      middle((one) => one.cpuMs).toFixed(2),
    ];
    progress(`  ${name}: ${row.join(' ')}`);
    return [name, row] as const;
  });
  return new Map(cells);
}
