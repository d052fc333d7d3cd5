/** The built command, killed while it looks after a store: what it leaves in the work folder goes with the next command. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { begun } from '../support/processes/begun.ts';
import { answersFrom, callCli, envOf, startCli } from '../support/processes/cli.ts';
import { newFolder } from '../support/temporary-folder.ts';

test('a killed verify leaves only what the next command removes', { timeout: 60_000 }, async () => {
  const [nights, work] = [await openSampleStore(), await newFolder()];
  onTestFinished(nights.dispose);
  const env = envOf({ store: nights.folder, work });
  await callCli(['prune', '--dry-run'], { env }); // So that the folder of runs is there to be watched.
  const before = await readdir(join(work, 'runs'));
  const verifying = startCli(['verify', '--all'], { env });
  await begun(verifying, join(work, 'runs'), 'owner');
  verifying.child.kill('SIGKILL');
  expect(await verifying.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(await readdir(work), 'all of it lies below the runs').toEqual(['runs']);
  const [killed = ''] = (await readdir(join(work, 'runs'))).filter((name) => !before.includes(name));
  expect(await readdir(join(work, 'runs', killed))).toContain('owner');

  const { code, stdout } = await callCli(['verify', '--all', '--json'], { env });
  expect({ code, answer: answersFrom(stdout)[0] }).toMatchObject({ code: 0, answer: { ok: true, snapshots: 3 } });
  expect(await readdir(join(work, 'runs', killed))).toEqual([]);
});
