/** The real server with its control database on a disk that is really full: what it says, and that it goes on by itself. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fetchOnce } from '../support/api/listen.ts';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';
import { describeOnSmallDisk } from '../support/processes/small-disk.ts';
import { addUnlimited } from './kill.contract.ts';

/** More than SQLite's log has room for before its pages are used again. */
const REQUESTS_MAX = 3_000;
const RECOVERY_MS_MAX = 20_000;

describeOnSmallDisk('a control database whose disk is full', 2, (disk) => {
  test('is told with 503, in /health/ready and once in the log, and serves on when there is room', {
    timeout: 120_000,
  }, async () => {
    const database = `sqlite:${join(disk.path, 'accounts.db')}`;
    const { key } = await addUnlimited(database);
    const store = await openSampleStore();
    onTestFinished(() => store.dispose());
    const env = { MODELSTATS_DATABASE_PROBE_SECONDS: '1' };
    const serving = await ServingProcess.start({ store: store.folder, database, env });
    onTestFinished(() => serving.dispose());
    const ask = async (path: string) => {
      const { status, body } = await fetchOnce(`${serving.url}${path}`, key);
      return { status, body: JSON.parse(body) };
    };
    const used = async () => (await ask('/v1/account')).body.usage.used;

    expect((await ask('/v1/models')).status).toBe(200);
    await disk.fill();
    let granted = 1;
    let last = await ask('/v1/models');
    for (; last.status === 200 && granted < REQUESTS_MAX; granted += 1) last = await ask('/v1/models');
    expect(last).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(JSON.stringify(last.body)).not.toContain(disk.path);
    for (let round = 0; round < 5; round += 1) expect((await ask('/v1/scores')).status).toBe(503);
    expect(await ask('/health/live')).toMatchObject({ status: 200 });
    const problem = { part: 'accounts', code: 'unavailable' };
    expect(await ask('/health/ready')).toMatchObject({ status: 200, body: { problems: [problem] } });
    expect(serving.log.match(/the control database does not do its work/g)).toHaveLength(1);
    expect(serving.log).toMatch(/database or disk is full/);
    expect(serving.isRunning).toBe(true);

    await disk.makeRoom();
    for (let waitedMs = 0; (await ask('/health/ready')).body.problems.length > 0; waitedMs += 100) {
      if (waitedMs > RECOVERY_MS_MAX) expect.fail(`no recovery: ${serving.log.slice(-2000)}`);
      await sleep(100);
    }
    // Lines of no weight wait for others a moment.
    await expect.poll(() => serving.log).toMatch(/the control database does its work again/);
    const before = await used();
    // What was answered was counted, and what was refused was not.
    expect(before).toBe(granted);
    expect((await ask('/v1/models')).status).toBe(200);
    expect(await used()).toBe(before + 1);
  });
});
