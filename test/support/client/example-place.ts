import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND } from '../processes/cli.ts';
import { findProgram } from '../processes/server-process.ts';
import { Python } from './python.ts';
import type { Service } from './service.ts';

const ROOT = join(import.meta.dirname, '../../..');

export type ExamplePlace = Awaited<ReturnType<typeof openExamplePlace>>;

/** Where examples run: a folder of their own, with the command on the PATH and the package in `node_modules`. */
export async function openExamplePlace({ url, key }: Pick<Service, 'url' | 'key'>) {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-examples-'));
  await mkdir(join(folder, 'bin'));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`;
  await writeFile(join(folder, 'bin/modelstats'), script, { mode: 0o755 });
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/modelstats'));
  /** What is shown of an address, a key and folders, and what they are here. */
  const replaced: Readonly<Record<string, string>> = {
    'https://api.example.com': url,
    'msk_…': key,
    '/var/lib/modelstats/': '',
    '/opt/modelstats/.tools/bin': join(folder, 'bin'),
  };
  const path = `${join(folder, 'bin')}:${process.env['PATH']}`;
  const env = { PATH: path, MODELSTATS_API_URL: url, MODELSTATS_API_KEY: key };
  const python = new Python({ cwd: folder, env: { ...process.env, ...env } });
  return {
    folder,
    replaced,
    env,
    python,
    remove: async () => {
      await python.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function hasPrograms(...names: readonly string[]): boolean {
  return names.every((name) => findProgram(name) !== undefined);
}
