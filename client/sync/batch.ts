import { DATASET_NAMES, DATASETS, type DatasetName, type EntityType } from '../../schemas/datasets.ts';
import type { ChangeEvent } from '../answers.ts';
import type { Update } from './copy.ts';
import { keyOf, writeLines } from './json-lines.ts';
import type { Scratch } from './scratch.ts';

/** Events that come into the copy together. */
export class Batch {
  readonly #events: ChangeEvent[] = [];
  /** Of the answers that they came in. */
  bytes = 0;

  get size(): number {
    return this.#events.length;
  }

  get upserts(): number {
    return this.#events.filter(({ op }) => op === 'upsert').length;
  }

  add(events: readonly ChangeEvent[], bytes: number): void {
    this.#events.push(...events);
    this.bytes += bytes;
  }

  /** What they do, as files. Of several events of one record the last one counts. */
  async write(
    scratch: Scratch,
    { keepsEvents }: { readonly keepsEvents: boolean },
  ): Promise<Omit<Update, 'replaced' | 'state'>> {
    const last = new Map(this.#events.map((event) => [`${event.entity_type} ${keyText(event)}`, event]));
    const byDataset = Map.groupBy(last.values(), ({ entity_type: type }) => datasetOf(type));
    const upserts: Partial<Record<DatasetName, string>> = {};
    const deletes: Partial<Record<DatasetName, string>> = {};
    for (const [name, events] of byDataset) {
      const lines = events.flatMap(({ data }) => (data === null ? [] : [JSON.stringify(data)]));
      if (lines.length > 0) {
        upserts[name] = await scratch.path(`upserts.${name}.jsonl`);
        await writeLines(upserts[name], lines);
      }
      const gone = events.flatMap(({ op, key }) => (op === 'delete' ? [JSON.stringify(key)] : []));
      if (gone.length > 0) {
        deletes[name] = await scratch.path(`deletes.${name}.jsonl`);
        await writeLines(deletes[name], gone);
      }
    }
    if (!keepsEvents || this.#events.length === 0) return { upserts, deletes, events: undefined, dropsEvents: false };
    const events = await scratch.path('events.jsonl');
    await writeLines(
      events,
      this.#events.map((event) => JSON.stringify(event)),
    );
    return { upserts, deletes, events, dropsEvents: false };
  }
}

function keyText({ entity_type: type, key }: ChangeEvent): string {
  return JSON.stringify(keyOf(datasetOf(type), { ...key }));
}

/** The dataset whose records an entity type stands for. */
function datasetOf(type: EntityType): DatasetName {
  const name = DATASET_NAMES.find((candidate) => DATASETS[candidate].entityType === type);
  if (name === undefined) throw new Error(`no dataset has records of the type ${type}`);
  return name;
}
