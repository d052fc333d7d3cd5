import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** What runs at once shares its published days. */
test.skipIf(!existsSync(join(ROOT, 'dist/bin/modelstats.js'))).each<[only: string, says: readonly RegExp[]]>([
  ['floor', [/against writing its snapshot alone\n\n\| scores .*\n.*\n\| 2000 \| [\d.]+ /]], // Where both wrote the same.
  ['peers', [/plain scripts that neither check nor prove\n\n.*\n.*\n\| floor .*\n\| modelstats nightly /]],
  ['changes', [/by how many changed/]],
  ['states', [/by the size of the state/]],
  ['console', [/## Pages of the console/]],
  ['webhooks', [/## Webhook/]],
  [
    'api',
    [
      /## A current-data request/,
      /## Cold lists/,
      /## One model's history/,
      /## Paging/,
      /## View swap/,
      /## A page of a hundred/,
      /## Building a view/,
    ],
  ],
  ['mcp', [/## Tool calls/]],
  ['public', [/## Badges, warm/]],
  ['sync', [/## modelstats sync: importing/, /## modelstats sync: following/]],
])(
  'the benchmark %s runs from end to end',
  async (only, says) => {
    const args = ['--import', 'tsx', join(ROOT, 'bench/run.ts'), '--quick', '--only', only];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    for (const text of says) expect(stdout).toMatch(text);
  },
  600_000, // A busy machine takes two minutes; only a hang takes this long.
);
