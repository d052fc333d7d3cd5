import { once } from 'node:events';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { type Measured, scriptArgs, startNode } from '../measure.ts';
import { CLI } from '../night.ts';

export interface Server {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  /** Processor time of the process so far, all threads; not a number where there is no /proc. */
  cpuMs(): Promise<number>;
  /** Ends it; what it used from start to end. */
  stop(): Promise<Pick<Measured, 'peakBytes' | 'cpuMs'>>;
}

export interface ApiOptions {
  /** The folder of the store. */
  readonly store: string;
  /** The folder of the view; kept between two starts, the second one begins with the view that it finds. */
  readonly view: string;
  /** `MODELSTATS_*` beside those. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of `modelstats serve`. */
  readonly args?: readonly string[];
}

/** Starts the built `modelstats serve`, its log going to a file as it would in use; resolves when it is ready. */
export async function startApi({ store, view, env = {}, args = [] }: ApiOptions): Promise<Server> {
  const server = await startServer([CLI, 'serve', '--json', ...args], `${view}.log`, {
    MODELSTATS_STORE: `file:${store}`,
    MODELSTATS_VIEW: view,
    MODELSTATS_PORT: '0',
    ...env,
  });
  while (!(await isReady(server.origin))) await setTimeout(READY_POLL_MS);
  return server;
}

const READY_POLL_MS = 20;

/** The day that the API serves; undefined while it has none. */
export async function servedDay(origin: string): Promise<string | undefined> {
  const response = await fetch(`${origin}/health/ready`);
  const body = (await response.json()) as { readonly release?: { readonly day: string } }; // As api/data/health.ts answers.
  return body.release?.day;
}

async function isReady(origin: string): Promise<boolean> {
  return (await servedDay(origin)) !== undefined;
}

export interface BareOptions {
  /** Where the bytes come from. */
  readonly api: Server;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** Starts bare Fastify sending what the API sends on these paths. */
export async function startBare({ api, paths, headers, folder }: BareOptions): Promise<Server> {
  const file = join(folder, 'paths.json');
  await writeFile(file, JSON.stringify(paths));
  const args = scriptArgs('bench/api/bare-server.ts', [api.origin, file, JSON.stringify(headers)]);
  return startServer(args, join(folder, 'bare.log'), {});
}

async function startServer(
  args: readonly string[],
  log: string,
  env: Readonly<Record<string, string>>,
): Promise<Server> {
  const file = await open(log, 'a');
  const { child, stdout, usage } = startNode(args, env, file.fd);
  await file.close();
  const exited = once(child, 'exit');
  const lines = createInterface({ input: stdout });
  const [line] = await Promise.race([once(lines, 'line'), exited.then(() => [])]);
  if (typeof line !== 'string') throw new Error(`the server did not start: ${await readFile(log, 'utf8')}`);
  const { url } = JSON.parse(line) as { readonly url: string }; // Printed by serve.ts and bare-server.ts.
  return {
    origin: url,
    cpuMs: () => processorMs(child.pid ?? 0),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      return usage;
    },
  };
}

/** User and system time of a process, from Linux's /proc. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name in parentheses, which may hold blanks: field 3 of the manual comes first.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) * (1000 / TICKS_PER_SECOND);
}

/** USER_HZ, the same on all of Linux's platforms that Node runs on. */
const TICKS_PER_SECOND = 100;
