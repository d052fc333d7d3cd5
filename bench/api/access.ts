import { join } from 'node:path';
import { z } from 'zod';
import { V1_ROUTES } from '../../api/data/routes/data-routes.ts';
import { MCP_ROUTE } from '../../api/mcp/mcp.ts';
import { measureNode } from '../measure.ts';
import { CLI } from '../night.ts';

/** How the benchmarks are let in: a key whose limits are counted like any other's, but never reached. */
export interface BenchAccess {
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Set for every `modelstats serve`. */
  readonly env: Readonly<Record<string, string>>;
}

/** More than is asked for in a minute, and in a day. */
const PER_MINUTE = 1_000_000;
const PER_DAY = 1_000_000_000;

/** Makes a control database in the folder, an organization on Commercial and its key, by the command line. */
export async function createAccess(folder: string): Promise<BenchAccess> {
  const env = {
    MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}`,
    MODELSTATS_BACKSTOP: [...V1_ROUTES, MCP_ROUTE].map(({ name }) => `${name}=${PER_MINUTE}`).join(','),
  };
  const limits = ['--daily-quota', String(PER_DAY), '--burst', String(PER_MINUTE), '--history-months', 'full'];
  const { id } = await run(['orgs', 'create', '--name', 'Bench', '--plan', 'commercial', ...limits], env, Organization);
  const { key } = await run(['keys', 'create', '--org', id], env, Key);
  return { headers: { Authorization: `Bearer ${key}` }, env };
}

/** The same with the daily quota switched off: requests are authenticated and counted per minute, but nothing is written. */
export function withoutQuota<T extends BenchAccess>(access: T): T {
  return { ...access, env: { ...access.env, MODELSTATS_CAPABILITIES: 'plans=planned' } };
}

const Organization = z.object({ id: z.string() });
const Key = z.object({ key: z.string() });

async function run<T>(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  response: z.ZodType<T>,
): Promise<T> {
  const { stdout } = await measureNode([CLI, ...args, '--json'], env);
  return response.parse(JSON.parse(stdout));
}
