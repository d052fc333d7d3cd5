import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { type Catalog, identityFromCatalog } from '../../schemas/catalog.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

/** `<work>/store.json`: which record a work folder is used for. */
const NoteSchema = z.object({ identity: z.string(), url: z.string() });

/** The store that is about to be changed, as it was found. */
export interface WorkStore {
  readonly store: Pick<ObjectStore, 'url'>;
  readonly catalog: Catalog | undefined;
}

/**
 * Notes in a work folder which record it is used for, and rejects with `configuration` where it is used for another one (decision
 * 0043): the address of the store is wrong then, or its disk is not mounted, and the series would go on in the wrong place or
 * begin anew. Commands that change a store call it before they do. A folder without a note, as on a fresh machine, takes any
 * store.
 */
export async function claimWorkFolder(work: string, { store, catalog }: WorkStore): Promise<void> {
  const path = join(work, 'store.json');
  const identity = identityFromCatalog(catalog);
  const noted = await readNote(path);
  if (noted !== undefined && noted.identity !== identity) {
    const found = identity === undefined ? `${store.url} is empty` : `${store.url} is another one`;
    const remedy = 'is MODELSTATS_STORE right? If so, give it a work folder of its own (MODELSTATS_WORK)';
    throw new AppError(
      'configuration',
      `${work} has been used for the store ${noted.url}, and ${found}; ${remedy} or remove ${path}`,
    );
  }
  if (noted !== undefined || identity === undefined) return;
  try {
    await mkdir(work, { recursive: true, mode: 0o700 });
    // Not by way of a temporary file, which a kill could leave: half a note counts as none, and the next command writes it anew.
    await writeFile(path, `${JSON.stringify({ identity, url: store.url })}\n`);
  } catch {
    // The note is a precaution; a work folder that can't be written to stops the run itself, which says why.
  }
}

/** Undefined where there is none that can be read. */
async function readNote(path: string): Promise<z.infer<typeof NoteSchema> | undefined> {
  try {
    return NoteSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
