import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { listen } from '../support/api/listen.ts';
import { openApi } from '../support/api/open-api.ts';
import { HAS_PYTHON } from '../support/has-python.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { DELETED_UPSTREAM, REAL_DATA } from '../support/real-data.ts';

/** Days far apart, so that many models go between them, among them some whose ids hold a colon. */
const DAYS = ['2025-06-04', '2025-08-25', '2025-12-12', '2025-12-13', '2026-03-07', '2026-06-29'];

describe.skipIf(REAL_DATA === undefined || !HAS_PYTHON)('a consumer who matches id and entity_id as they are', () => {
  test('finds every deleted record and ends equal to each snapshot', { timeout: 300_000 }, async () => {
    const { deletions, ...rest } = await followInPython(REAL_DATA ?? '', DAYS);
    expect(rest).toEqual({
      snapshots: DAYS.length,
      events: expect.any(Number),
      missed: 0,
      wrong_key: 0,
      events_left: 0,
      different: [],
    });
    expect(deletions['model']).toBeGreaterThan(500);
  });
});

/** What consumer.py found. */
interface Followed {
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
async function followInPython(source: string, days: readonly string[]): Promise<Followed> {
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
