import { once } from 'node:events';
import { createServer } from 'node:net';
import { z } from 'zod';
import { parseAnswer, readText } from '../../../../client/read-answer.ts';
import { messageFromError } from '../../../../runtime/errors.ts';
import { type Finding, fail, ok, type Setup, warn } from '../finding.ts';
import { servesHere } from '../use.ts';

/** For the answer of a server that has the port. */
const TIMEOUT_MS = 3_000;

/** Of an answer that says how a server is; whatever else has the port may answer for ever. */
const HEALTH_BYTES_MAX = 64 * 1024;

const LiveSchema = z.object({ status: z.literal('live') });
const ReadySchema = z.object({ problems: z.array(z.object({ code: z.string(), message: z.string() })).optional() });

/** Whether `serve` could listen at its port, or does already, and how it is then. */
export async function checkPort(setup: Setup): Promise<Finding | undefined> {
  const { HOST: host, PORT: port, BASE_PATH } = setup.config;
  if (!servesHere(setup)) return undefined;
  if (port === 0) return ok('serve listens on any free port');
  const problem = await findListenProblem(host, port);
  if (problem === undefined) return ok(`${host}:${port} is free for serve`);
  const url = `${urlOf(host, port)}${BASE_PATH}`;
  if (!LiveSchema.safeParse(await jsonOf(`${url}/health/live`)).success)
    return fail(`serve can't listen on ${host}:${port}: ${problem}`, 'end what has the port, or set MODELSTATS_PORT');
  const { problems = [] } = ReadySchema.safeParse(await jsonOf(`${url}/health/ready`)).data ?? {};
  if (problems.length === 0) return ok(`serve answers at ${url}`);
  return warn(
    `serve answers at ${url}: ${problems.map(({ message }) => message).join('; ')}`,
    'its log has the causes',
  );
}

/** Where a server of ours is to be found from this machine. */
export function urlOf(host: string, port: number): string {
  const here = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${here.includes(':') ? `[${here}]` : here}:${port}`;
}

/** Listens for a moment; undefined where that can be done. */
async function findListenProblem(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return messageFromError(error);
  } finally {
    server.close();
  }
}

async function jsonOf(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return parseAnswer((await readText(response, HEALTH_BYTES_MAX)).text);
  } catch {
    return undefined; // It is no server of ours, or it doesn't answer: told by what it is not.
  }
}
