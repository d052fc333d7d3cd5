import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
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
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
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

  /** Removes what lies there and doesn't begin like this. */
  async keepOnly(prefix: string): Promise<void> {
    await this.#removeOwn((name) => !name.startsWith(prefix));
  }

  /** Removes what lies there, and the folder where nothing of others is in it. */
  async remove(): Promise<void> {
    await this.#removeOwn(() => true);
    await rmdir(this.#folder).catch(() => undefined);
  }

  async #removeOwn(isMeant: (name: string) => boolean): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) if (OWN_NAME.test(name) && isMeant(name)) await rm(join(this.#folder, name));
  }
}

/** Names of files that are put there: of a snapshot, or of what an update is made of. */
const OWN_NAME = /^(?:\d{4}-\d{2}-\d{2}|upserts|deletes|events|nothing|list)(?:\.[a-z]+)?\.jsonl(?:\.gz)?$/;
