import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

test.skipIf(!existsSync(join(ROOT, 'dist/bin/modelstats.js'))).each<[only: string, says: RegExp]>([
  ['floor', /against writing its snapshot alone\n\n\| scores .*\n.*\n\| 2000 \| [\d.]+ /], // Where both wrote the same.
  ['peers', /plain scripts that neither check nor prove\n\n.*\n.*\n\| floor .*\n\| modelstats nightly /],
  ['changes', /by how many changed/],
  ['states', /by the size of the state/],
  ['console', /## Pages of the console/],
  ['webhooks', /## Webhook/],
  ['api-warm', /## A current-data request/],
  ['api-lists', /## Cold lists/],
  ['api-history', /## One model's history/],
  ['api-paging', /## Paging/],
  ['api-swap', /## View swap/],
  ['api-peers', /## A page of a hundred/],
  ['api-view', /## Building a view/],
  ['mcp', /## Tool calls/],
  ['public', /## Badges, warm/],
  ['sync', /## modelstats sync: importing[\s\S]*## modelstats sync: following/],
])(
  'the benchmark %s runs from end to end',
  async (only, says) => {
    const args = ['--import', 'tsx', join(ROOT, 'bench/run.ts'), '--quick', '--only', only];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    expect(stdout).toMatch(says);
  },
  300_000, // A busy machine takes a minute; only a hang takes this long.
);
