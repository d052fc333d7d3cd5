/** What a file store holds of each snapshot, read as plain files: what no independent computation can tell. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { sha256 } from '../night-oracle/canonical.ts';
import { type PerDataset, perDataset } from '../night-oracle/state.ts';

export interface StoredFile {
  readonly bytes: number;
  readonly sha256: string;
}

export interface StoredSnapshot {
  readonly publishedAt: string;
  readonly files: PerDataset<StoredFile>;
}

export type StoredSnapshots = ReadonlyMap<Day, StoredSnapshot>;

/** Reads the snapshots which a store's catalog names; sizes and hashes are taken from the files, not from manifests. */
export function readStoredSnapshots(storeFolder: string): StoredSnapshots {
  const catalog = JSON.parse(readFileSync(join(storeFolder, 'catalog.json'), 'utf8')) as {
    readonly releases: readonly { readonly day: Day; readonly run: string; readonly published_at: string }[];
  };
  return new Map(
    catalog.releases.map(({ day, run, published_at }) => {
      const folder = join(storeFolder, 'releases', `${day}.${run}`, 'snapshot');
      const files = perDataset((dataset) => readStoredFile(join(folder, `${dataset}.jsonl.gz`)));
      return [day, { publishedAt: published_at, files }];
    }),
  );
}

function readStoredFile(path: string): StoredFile {
  const body = readFileSync(path);
  return { bytes: body.length, sha256: sha256(body) };
}
