import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { listSourceDays } from '../../pipeline/source/source-folder.ts';
import { fixtureSource } from '../support/pipeline/temporary-store.ts';
import { answersFrom, runCli } from '../support/processes/cli.ts';
import { describeOnMinio } from '../support/processes/minio.ts';
import { newFolder } from '../support/temporary-folder.ts';

const SCRIPT = join(import.meta.dirname, '../../scripts/minio.sh');
const SOURCE = fixtureSource('days');

describeOnMinio('first steps with scripts/minio.sh', () => {
  test('what it says to export is all that a night needs, and stopped it leaves nothing behind', async () => {
    const folder = await newFolder();
    const script = spawn('sh', [SCRIPT, 'start'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder },
    });
    onTestFinished(() => stop(script).then(() => undefined));
    const settings = await readExports(script);
    const endpoint = String(settings['MODELSTATS_S3_ENDPOINT']);
    expect((await fetch(`${endpoint}/minio/health/ready`)).ok, 'it says so when it is ready').toBe(true);
    expect(await readdir(folder)).toHaveLength(1);
    const env = { ...settings, MODELSTATS_WORK: join(folder, 'work') };
    const published = await runCli(['nightly', '--source', SOURCE, '--all-days', '--json'], { env });
    expect(published).toMatchObject({ code: 0, stderr: '' });
    expect(answersFrom(published.stdout)).toHaveLength((await listSourceDays(SOURCE)).length);
    expect(await runCli(['verify', '--all'], { env })).toMatchObject({ code: 0, stderr: '' });
    expect(await stop(script)).toBe(0);
    await expect(fetch(endpoint)).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['work']);
  }, 180_000);
});

/** The variables that the script prints as `export A=1 B=2`, until it has said them all. */
async function readExports({ stdout }: ChildProcess): Promise<Record<string, string>> {
  if (stdout === null) throw new Error('the script has no output');
  const settings: Record<string, string> = {};
  for await (const line of createInterface(stdout)) {
    for (const [, name = '', value = ''] of line.matchAll(/\b([A-Z0-9_]+)=(\S+)/g)) settings[name] = value;
    if ('AWS_SECRET_ACCESS_KEY' in settings) break;
  }
  return settings;
}

/** Stops the script as Ctrl-C would; its exit code. */
async function stop(script: ChildProcess): Promise<number | null> {
  if (script.exitCode === null && script.signalCode === null) {
    script.kill('SIGTERM');
    await once(script, 'exit');
  }
  return script.exitCode;
}
