import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

test.skipIf(!existsSync(join(ROOT, 'dist/bin/modelstats.js')))(
  'the benchmarks run from end to end, and the floor writes what the night wrote',
  async () => {
    const args = ['--import', 'tsx', join(ROOT, 'bench/run.ts'), '--quick'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    expect(stdout).toMatch(/against writing its snapshot alone\n\n\| scores .*\n.*\n\| 2000 \| [\d.]+ /);
    expect(stdout).toMatch(/plain scripts that neither check nor prove\n\n.*\n.*\n\| floor .*\n\| modelstats nightly /);
    expect(stdout).toContain('by how many changed');
    expect(stdout).toContain('by the size of the state');
    for (const title of [
      'A current-data request',
      'Cold lists',
      "One model's history",
      'Paging',
      'View swap',
      'Building a view',
      'A page of a hundred',
      'Webhook',
      'Tool calls',
      'Badges, warm',
      'modelstats sync: importing',
      'modelstats sync: following',
    ]) {
      expect(stdout).toContain(`### ${title}`);
    }
  },
  300_000, // A busy machine took more than two minutes; only a hang takes this long.
);
