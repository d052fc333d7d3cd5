import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listen } from '../support/api/listen.ts';
import { openApi } from '../support/api/open-api.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { DELETED_UPSTREAM } from '../support/real-data.ts';

/** What consumer.py found. */
export interface Followed {
  readonly snapshots: number;
  readonly events: number;
  readonly deletions: Readonly<Record<string, number>>;
  /** Deletions whose `entity_id` was the plain name of no record. */
  readonly missed: number;
  /** Deletions whose `key` was not the deleted record's. */
  readonly wrong_key: number;
  readonly events_left: number;
  readonly different: readonly object[];
}

/** Publishes days of a source into a store of its own and lets consumer.py follow them over a real connection. */
export async function followInPython(source: string, days: readonly string[]): Promise<Followed> {
  const publish = async (store: TemporaryStore) => {
    for (const day of days) {
      const { status } = await store.night(join(source, day), day, { accept: day === DELETED_UPSTREAM });
      if (status !== 'published') throw new Error(`${day} is ${status}`);
    }
  };
  const api = await openApi({ days: publish, now: '2026-06-30T12:00:00Z' });
  try {
    const script = join(import.meta.dirname, 'consumer.py');
    const ran = promisify(execFile)('python3', [script, api.store.folder, await listen(api.app), 'none']);
    const { stdout } = await ran.catch((error: { readonly stdout: string; readonly stderr: string }) => {
      if (error.stdout === '') throw new Error(error.stderr);
      return error; // It ends with 1 where something is wrong, and says what.
    });
    return JSON.parse(stdout);
  } finally {
    await api.close();
  }
}
