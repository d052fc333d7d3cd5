import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'webhooks-';
/** Age from which a folder is taken for one that a killed process left: no night takes nearly as long. */
const LEFT_MS = 86_400_000;

/** Works with a new folder in the work folder, gone in the end; takes away what killed processes left. */
export async function withFolder<T>(workFolder: string, now: Date, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  await removeLeft(workFolder, now);
  const folder = await mkdtemp(join(workFolder, PREFIX));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeLeft(workFolder: string, now: Date): Promise<void> {
  for (const name of await readdir(workFolder)) {
    const path = join(workFolder, name);
    const written = name.startsWith(PREFIX) ? await stat(path).catch(() => undefined) : undefined;
    if (written !== undefined && now.getTime() - written.mtimeMs > LEFT_MS)
      await rm(path, { recursive: true, force: true });
  }
}
