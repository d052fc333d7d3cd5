/** A consumer's copy of the data, kept up by applying the feed's events as the specification tells consumers to. */
import { createHash } from 'node:crypto';
import { DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import type { PerDataset } from '../night-oracle/state.ts';
import { perDataset } from '../night-oracle/state.ts';
import type { FeedEvent } from './world.ts';

export const MIRRORED = ['models', 'scores', 'rankings', 'pricing'] as const satisfies readonly DatasetName[];

interface Row {
  readonly seq: number;
  /** The key's parts as UTF-8 bytes. */
  readonly key: readonly Buffer[];
  /** Null: a tombstone. */
  readonly line: string | null;
}

export class Mirror {
  private readonly rows: PerDataset<Map<string, Row>> = perDataset(() => new Map());

  /** Events that the row has seen already are skipped, so applying a page twice changes nothing. */
  apply(events: readonly FeedEvent[]): void {
    for (const { seq, entity_type, entity_id, data } of events) {
      const dataset = MIRRORED.find((name) => DATASETS[name].entityType === entity_type);
      if (dataset === undefined) throw new Error(`no dataset holds a ${entity_type}`);
      const rows = this.rows[dataset];
      if (seq <= (rows.get(entity_id)?.seq ?? 0)) continue;
      const key = DATASETS[dataset].key.map((name) => Buffer.from(String(data?.[name])));
      rows.set(entity_id, { seq, key, line: data === null ? null : `${JSON.stringify(data)}\n` });
    }
  }

  /** The hash of the dataset's file: its lines by key, in the order of the UTF-8 bytes. */
  contentSha256(dataset: DatasetName): string {
    const present = [...this.rows[dataset].values()].filter(({ line }) => line !== null);
    const hash = createHash('sha256');
    for (const { line } of present.sort(compareKeys)) hash.update(line ?? '');
    return hash.digest('hex');
  }
}

function compareKeys(a: Row, b: Row): number {
  for (const [i, part] of a.key.entries()) {
    const order = Buffer.compare(part, b.key[i] ?? Buffer.alloc(0));
    if (order !== 0) return order;
  }
  return 0;
}
