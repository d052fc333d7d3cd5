import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Then a killed process left it: no work takes nearly as long. */
const LEFT_MS = 86_400_000;

/**
 * Works in a folder that is removed at the end; also removes those that killed processes left under the same prefix.
 *
 * @param parent created when needed, readable only by its owner
 */
export async function withTemporaryFolder<T>(
  parent: string,
  { prefix, now }: { readonly prefix: string; readonly now: Date },
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeLeft(parent, { prefix, now });
  const folder = await mkdtemp(join(parent, prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeLeft(
  parent: string,
  { prefix, now }: { readonly prefix: string; readonly now: Date },
): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    const written = name.startsWith(prefix) ? await stat(path).catch(() => undefined) : undefined;
    if (written !== undefined && now.getTime() - written.mtimeMs > LEFT_MS)
      await rm(path, { recursive: true, force: true });
  }
}
