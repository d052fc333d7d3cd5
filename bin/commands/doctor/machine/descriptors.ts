import { readFile } from 'node:fs/promises';
import { type Finding, ok, type Setup, warn } from '../finding.ts';
import { servesHere } from '../use.ts';

/** Files, pipes and connections to services besides those of callers. */
const DESCRIPTORS_BESIDE = 200;

/** Whether as many connections as are let in can be open; on Linux, which tells. */
export async function checkDescriptors(setup: Setup): Promise<Finding | undefined> {
  if (!servesHere(setup)) return undefined;
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (limit === undefined) return undefined;
  const { CONNECTIONS_MAX } = setup.config;
  const told = `${limit} files and connections may be open, ${CONNECTIONS_MAX} of callers`;
  if (Number(limit) >= CONNECTIONS_MAX + DESCRIPTORS_BESIDE) return ok(told);
  return warn(
    told,
    `raise the limit (LimitNOFILE of systemd, ulimits of compose) to ${CONNECTIONS_MAX + DESCRIPTORS_BESIDE}, or lower MODELSTATS_CONNECTIONS_MAX`,
  );
}
