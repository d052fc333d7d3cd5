import { expect, test, vi } from 'vitest';
import { listReleases } from '../../support/pipeline/published.ts';
import { sourceOf, useStore } from '../../support/pipeline/use-store.ts';

/** The process fills its memory: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

const DAY = '2026-06-01';
const store = useStore();
const source = sourceOf(store);

// Only Linux tells how much memory a process takes.
test.runIf(process.platform === 'linux')(
  'a SELECT that takes too much memory is killed, and its night rejected',
  async () => {
    await source.write(`${DAY}/models.jsonl`, [{ id: 'a', name: 'A' }]);
    await source.write(
      'source.sql',
      "-- models\nSELECT i::VARCHAR AS id, repeat('x', 100000000) AS name FROM range(1000) t(i)",
    );
    await source.write('source.json', JSON.stringify({ sql_timeout_seconds: 60, max_rows: 1000 }));
    const { status, problems } = await source.night(DAY);
    const says =
      /source\.sql line \d+ \(models\): .*takes more memory than 500MB \(MODELSTATS_MEMORY_LIMIT\) plus 1 GiB/;
    expect({ status, problems }).toEqual({ status: 'rejected', problems: [expect.stringMatching(says)] });
    expect(await listReleases(store)).toEqual([]);
  },
);
