import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files by name, as text. */
export type TextFiles = Readonly<Record<string, string>>;

/** True in `make golden`; a run that proves something never rewrites what it is compared with. */
export const IS_UPDATE = process.env['UPDATE_GOLDEN'] === '1' && process.env['CI'] === undefined;

/** The texts in a folder of expected files; `make golden` first makes them what they now are. */
export async function goldenFiles(folder: string, actual: TextFiles): Promise<TextFiles> {
  if (IS_UPDATE) await rewrite(folder, actual);
  const names = await readdir(folder).catch(() => []);
  const texts = names.sort().map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

/** The text of one file; `make golden` first makes it what it now is. */
export async function goldenFile(path: string, actual: string): Promise<string> {
  if (IS_UPDATE) await writeFile(path, actual);
  return readFile(path, 'utf8');
}

async function rewrite(folder: string, files: TextFiles): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
