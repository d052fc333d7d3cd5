import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { responsesFrom, runCli } from '../support/processes/cli.ts';
import { describeOnMinio } from '../support/processes/minio.ts';
import { ServerProcess } from '../support/processes/server-process.ts';
import { newFolder } from '../support/temporary-folder.ts';

const SCRIPT = join(import.meta.dirname, '../../scripts/minio.sh');
const SOURCE = fixtureSource('days');

describeOnMinio('first steps with scripts/minio.sh', () => {
  test('what it says to export is all that a night needs, and stopped it leaves nothing behind', async () => {
    const folder = await newFolder();
    const isStarted = (said: string) => /AWS_SECRET_ACCESS_KEY=\S+\s/.test(said);
    const script = new ServerProcess(['sh', SCRIPT, 'start'], isStarted, { ...process.env, TMPDIR: folder });
    onTestFinished(() => script.end('SIGTERM').then(() => undefined));
    await script.run();
    // What it prints as `export A=1 B=2`.
    const exports = [...script.log.matchAll(/\b([A-Z0-9_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
    const settings: Readonly<Record<string, string>> = Object.fromEntries(exports);
    const endpoint = String(settings['MODELSTATS_S3_ENDPOINT']);
    expect((await fetch(`${endpoint}/minio/health/ready`)).ok, 'it says so when it is ready').toBe(true);
    expect(await readdir(folder)).toHaveLength(1);
    const env = { ...settings, MODELSTATS_WORK: join(folder, 'work') };
    const published = await runCli(['nightly', '--source', SOURCE, '--all-days', '--json'], { env });
    expect(published).toMatchObject({ code: 0, stderr: '' });
    expect(responsesFrom(published.stdout)).toHaveLength((await listSourceDays(SOURCE)).length);
    expect(await runCli(['verify', '--all'], { env })).toMatchObject({ code: 0, stderr: '' });
    expect(await script.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await expect(fetch(endpoint)).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['work']);
  }, 180_000);
});
