import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DatasetFile } from '../../schemas/manifest.ts';

/**
 * A folder for downloads of a sync. It survives a kill, so that complete files need not be downloaded again; the copy's
 * lock protects it.
 */
export class Scratch {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder. */
  async path(name: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return join(this.#folder, name);
  }

  /** Whether a file matches the manifest. */
  async holds(name: string, { bytes, sha256 }: DatasetFile): Promise<boolean> {
    const path = join(this.#folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.size !== bytes) return false;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex') === sha256;
  }

  /** Removes own files without this prefix. */
  async keepOnly(prefix: string): Promise<void> {
    await this.#removeOwn((name) => !name.startsWith(prefix));
  }

  /** Removes own files, and the folder if it is empty then. */
  async remove(): Promise<void> {
    await this.#removeOwn(() => true);
    await rmdir(this.#folder).catch(() => undefined);
  }

  async #removeOwn(isMeant: (name: string) => boolean): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) if (OWN_NAME.test(name) && isMeant(name)) await rm(join(this.#folder, name));
  }
}

/** Files of a snapshot or an update. */
const OWN_NAME = /^(?:\d{4}-\d{2}-\d{2}|upserts|deletes|events|nothing|list)(?:\.[a-z]+)?\.jsonl(?:\.gz)?$/;
