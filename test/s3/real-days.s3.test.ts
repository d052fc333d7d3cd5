import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Database } from '../../storage/duckdb/database.ts';
import { readContents, type StoreContents } from '../support/pipeline/store-contents.ts';
import { runCli } from '../support/processes/cli.ts';
import { describeOnMinio } from '../support/processes/minio.ts';
import { S3Server } from '../support/processes/s3-target.ts';
import { openFileTarget, type Target } from '../support/processes/target.ts';
import { REAL_DATA } from '../support/real-data.ts';

/** The first ones, the first rankings, one whose upstream deleted thousands of scores, million-fold prices, the last. */
const DAYS = ['2025-06-04', '2025-06-05', '2025-11-21', '2025-12-13', '2026-03-20', '2026-06-29'];

describe.skipIf(REAL_DATA === undefined)(
  'a sample of the real days (skipped where they are not beside the project)',
  () => {
    describeOnMinio('nights', () => {
      test('has the same snapshot hashes and events on S3 as in a folder', { timeout: 300_000 }, async () => {
        const folder = await mkdtemp(join(tmpdir(), 'modelstats-s3-real-'));
        const server = await S3Server.start();
        const tempFolder = join(folder, 'spill');
        const database = await Database.open(':memory:', { memoryLimit: '500MB', threads: 1, tempFolder });
        try {
          const targets = [await openFileTarget(join(folder, 'file')), server.target(join(folder, 'real'))];
          const [inFolder, onS3] = await Promise.all(targets.map((target) => publishSample(target, database)));
          expect(inFolder?.snapshots).toHaveLength(DAYS.length * 5);
          expect(onS3?.snapshots).toEqual(inFolder?.snapshots);
          expect(onS3?.events.length).toBeGreaterThan(10_000);
          expect(onS3?.events).toEqual(inFolder?.events);
        } finally {
          database.close();
          await server.stop();
          await rm(folder, { recursive: true, force: true });
        }
      });
    });
  },
);

async function publishSample({ env, store }: Target, database: Database): Promise<StoreContents> {
  for (const day of DAYS) {
    // The guard holds the day of the great deletion.
    const args = ['nightly', '--source', join(REAL_DATA ?? '', day), '--day', day, '--accept', '--json'];
    expect(await runCli(args, { env })).toMatchObject({ code: 0, stderr: '' });
  }
  return readContents(store, database);
}
