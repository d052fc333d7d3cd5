import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fetchOnce } from '../support/api/listen.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { fixtureSource, openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import { startCli } from '../support/processes/cli.ts';
import { freePort } from '../support/processes/servers.ts';
import { newFolder } from '../support/temporary-folder.ts';
import { temporarySqlite } from './kill.contract.ts';

test('serve says that it listens, and that it serves once it can answer data', { timeout: 60_000 }, async () => {
  const store = await openTemporaryStore();
  onTestFinished(() => store.dispose());
  const folder = await newFolder();
  const port = await freePort();
  const env = {
    MODELSTATS_STORE: store.url,
    MODELSTATS_DATABASE: await temporarySqlite(),
    MODELSTATS_VIEW: join(folder, 'view'),
    MODELSTATS_PORT: String(port),
    MODELSTATS_POLL_SECONDS: '0.2',
  };
  const { child, ended } = startCli(['serve'], { env });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said, { timeout: 30_000 }).toMatch(/^listening at http:\S+, opening what file:/m);
  const ready = () => fetchOnce(`http://127.0.0.1:${port}/health/ready`, '');
  expect(await ready()).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(said).not.toMatch(/^serving /m);
  await store.night(fixtureSource(`days/${SAMPLE_DAYS[0]}`), SAMPLE_DAYS[0]);
  await expect.poll(() => said, { timeout: 30_000 }).toMatch(/^serving file:\S+ at http:/m);
  expect(await ready()).toMatchObject({ status: 200 });
});
