import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DatasetFile } from '../../schemas/manifest.ts';

/**
 * A folder for what is on its way into a copy. It outlives a kill, so that what was downloaded and is right need not be downloaded
 * again; nobody else uses it, because the copy is locked.
 */
export class Scratch {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The path of a file; its folder is there then. */
  async path(name: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true });
    return join(this.#folder, name);
  }

  /** Whether a file is the one that a manifest names. */
  async holds(name: string, { bytes, sha256 }: DatasetFile): Promise<boolean> {
    const path = join(this.#folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.size !== bytes) return false;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex') === sha256;
  }

  /** Removes the files whose names don't begin like this. */
  async keepOnly(prefix: string): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) if (!name.startsWith(prefix)) await rm(join(this.#folder, name), { recursive: true });
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
