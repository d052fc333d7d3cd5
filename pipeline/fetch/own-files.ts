import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDay } from '../../runtime/day.ts';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import { hashFile } from '../../storage/hash.ts';
import { DAY_FILES } from '../source/fetch-list.ts';
import { type OwnFile, writeAtomically } from '../source/fetch-record.ts';
import { assertFile } from '../source/source-folder.ts';

/** For people only; SELECTs may read everything else beside source.json. */
const FOR_PEOPLE = /^(?:README|LICENSE|NOTICE|CHANGELOG)(?:\.\w+)?$/i;
/** For small tables that all days share; larger ones are fetched. */
const OWN_BYTES_MAX = 256 * 1024 * 1024;

export interface OwnFilesInput {
  readonly root: string;
  readonly folder: string;
  /** For temporary files. */
  readonly partials: string;
  /** Below the day's folder. */
  readonly fetched: readonly string[];
  /** Of an earlier fetch into this folder. */
  readonly before: readonly OwnFile[];
}

/**
 * Copies a source's regular files, except hidden ones and those for people, into a day's folder, so that the day can be
 * captured again without the source. `source.json` is copied without `fetch`. Rejects with `source_rejected` where a
 * name is that of a fetched file.
 */
export async function copyOwnFiles({
  root,
  folder,
  partials,
  fetched,
  before,
}: OwnFilesInput): Promise<readonly OwnFile[]> {
  const names = await ownNames(root);
  const taken = names.find((name) => fetched.some((path) => path.toLowerCase().split('/')[0] === name.toLowerCase()));
  if (taken !== undefined)
    throw new AppError('source_rejected', `${join(root, taken)}: a file with this name is fetched`);
  for (const { file } of before) {
    if (!names.includes(file)) await rm(join(folder, file), { force: true });
  }
  const own: OwnFile[] = [];
  let bytes = 0;
  for (const name of names) {
    await assertFile(root, join(root, name));
    const content = await readOwn(join(root, name), name);
    bytes += content.length;
    if (bytes > OWN_BYTES_MAX)
      throw new AppError('source_rejected', `${root}: its own files are larger than ${OWN_BYTES_MAX} bytes`);
    await writeAtomically(join(folder, name), partials, content);
    own.push({ file: name, ...(await hashFile(join(folder, name))) });
  }
  return own;
}

async function ownNames(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((cause: unknown) => {
    throw new AppError('source_rejected', `the source ${root} can't be read: ${messageFromError(cause)}`, { cause });
  });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.') && !FOR_PEOPLE.test(name) && name !== DAY_FILES.fetched && !isDay(name))
    .sort();
}

async function readOwn(path: string, name: string): Promise<Uint8Array> {
  const content = await readFile(path);
  if (name !== DAY_FILES.settings) return content;
  // It was parsed as settings before: an object.
  const { fetch: _, ...settings }: { fetch?: unknown } = JSON.parse(content.toString('utf8'));
  return Buffer.from(`${JSON.stringify(settings, null, 2)}\n`);
}
