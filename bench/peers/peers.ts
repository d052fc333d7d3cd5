import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { messageFromError } from '../../runtime/errors.ts';
import { type Measured, measurePython } from '../measure.ts';
import { FIRST_DAY, type NightMeasured, SECOND_DAY, type Stage } from '../night.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A plain script that does a night's work as somebody would write it, without checks and without a proof. */
export interface Peer {
  readonly name: string;
  readonly script: string;
}

export const PEERS: readonly Peer[] = [
  { name: 'Python with DuckDB', script: 'night_duckdb.py' },
  { name: 'Python with pandas', script: 'night_pandas.py' },
];

/** A Python that has what the peers need, or why there is none. */
export type PeersPython = { readonly python: string } | { readonly missing: string };

/** Installs what the peers need where that is asked for and hasn't been done; never rejects. */
export async function findPython({ mayInstall }: { readonly mayInstall: boolean }): Promise<PeersPython> {
  try {
    const { stdout } = await promisify(execFile)(join(ROOT, 'scripts/peers.sh'), mayInstall ? [] : ['installed']);
    return { python: join(stdout.trim(), 'bin/python') };
  } catch (error) {
    return { missing: messageFromError(error).replaceAll(/\s+/g, ' ').slice(0, 300) };
  }
}

/** What both scripts print. */
const ReportSchema = z.object({ records: z.record(z.string(), z.number()), events: z.number() });

/** One night of the second day with a peer; rejects where it found other events or records than ours. */
export async function measurePeer(
  { name, script }: Peer,
  { python, stage, night }: { readonly python: string; readonly stage: Stage; readonly night: NightMeasured },
): Promise<Measured> {
  const to = join(stage.folder, 'peer');
  await rm(to, { recursive: true, force: true });
  const days = [FIRST_DAY, SECOND_DAY].map((day) => join(stage.folder, 'source', day));
  const measured = await measurePython(python, join(import.meta.dirname, script), [...days, to]);
  const { records, events } = ReportSchema.parse(JSON.parse(measured.stdout));
  const { release } = night;
  const isSame =
    events === release.events.upsert + release.events.delete &&
    Object.entries(release.records).every(([dataset, count]) => records[dataset] === count);
  if (!isSame) throw new Error(`${name} found other events or records than the night: ${measured.stdout}`);
  return measured;
}
