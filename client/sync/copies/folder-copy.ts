import { constants, createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import { type Copy, type Files, NOT_A_COPY, type SyncState, type Update } from '../copy.ts';
import {
  compareKeys,
  keyedLines,
  keyOf,
  noLines,
  type PlacedLines,
  parseRecord,
  readLines,
  writeFully,
  writeLines,
} from '../json-lines.ts';
import { STATE_TABLE, stateFromRow } from './tables.ts';

const FolderStateSchema = z.object({
  state: z.record(z.string(), z.string().nullable()),
  /** Files written as `<name>.next` that will replace `<name>`. */
  pending: z.array(z.string()),
  /** The valid length of `changes.jsonl`; bytes after it were left by a kill. */
  eventsBytes: z.int().nonnegative(),
});
type FolderState = z.infer<typeof FolderStateSchema>;

const STATE_FILE = `${STATE_TABLE}.json`;
const EVENTS_FILE = 'changes.jsonl';

/**
 * A copy in a folder: `models.jsonl` … `pricing.jsonl` like unpacked snapshots, `changes.jsonl` if events are stored,
 * and `_modelstats_sync.json`. An update writes new files, then the state that names them, which commits, and renames
 * them; after a kill the next opening finishes. So each file is always complete; all are of one moment if `pending` is
 * empty before and after reading.
 */
export class FolderCopy implements Copy {
  readonly isVerbatim = true;
  readonly batchEvents = 100_000; // Each batch writes whole files.
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Rejects with `usage` if the folder is unusable or contains something else. */
  static async open(folder: string): Promise<FolderCopy> {
    const copy = new FolderCopy(folder);
    await mkdir(folder).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST')
        throw new AppError('usage', `${folder} can't be used as a folder: ${messageFromError(cause)}`, { cause });
    });
    if (!existsSync(copy.#path(STATE_FILE))) {
      const foreign = [...DATASET_NAMES.map(fileOf), EVENTS_FILE].find((name) => existsSync(copy.#path(name)));
      if (foreign !== undefined) throw new AppError('usage', `${folder} has a file ${foreign}, ${NOT_A_COPY}`);
    }
    await copy.#putInPlace();
    return copy;
  }

  async state(): Promise<SyncState | undefined> {
    const record = await this.#readRecord();
    return record && stateFromRow(record.state);
  }

  lines(name: DatasetName): AsyncIterable<string> {
    const path = this.#path(fileOf(name));
    return existsSync(path) ? readLines(path) : noLines();
  }

  placeOf(name: DatasetName): string {
    return this.#path(fileOf(name));
  }

  async update({ replaced, upserts, deletes, events, dropsEvents, state }: Update): Promise<void> {
    const pending: string[] = [];
    for (const name of DATASET_NAMES) {
      const lines = this.#nextLines(name, { replaced, upserts, deletes });
      if (lines === undefined) continue;
      await writeLines(this.#path(`${fileOf(name)}.next`), lines, { isDurable: true });
      pending.push(fileOf(name));
    }
    let eventsBytes = await this.#appendEvents(dropsEvents ? undefined : events);
    if (dropsEvents) {
      const path = this.#path(`${EVENTS_FILE}.next`);
      await writeLines(path, events === undefined ? [] : readLines(events), { isDurable: true });
      eventsBytes = (await stat(path)).size;
      pending.push(EVENTS_FILE);
    }
    await this.#writeRecord({ state: { ...state }, pending, eventsBytes });
    await this.#putInPlace();
  }

  async close(): Promise<void> {
    // Nothing is open between calls.
  }

  /** Undefined if unchanged. */
  #nextLines(
    name: DatasetName,
    { replaced, upserts, deletes }: Pick<Update, 'replaced' | 'upserts' | 'deletes'>,
  ): AsyncIterable<string> | undefined {
    const { [name]: all } = replaced;
    const isMerged = upserts[name] !== undefined || deletes[name] !== undefined;
    if (!isMerged) return all === undefined ? undefined : readLines(all);
    const before =
      all === undefined
        ? { lines: this.lines(name), place: this.placeOf(name) }
        : { lines: readLines(all), place: all };
    return merged(name, before, { upserts, deletes });
  }

  /** Appends events; resolves to the new valid length. */
  async #appendEvents(events: string | undefined): Promise<number> {
    const { eventsBytes = 0 } = (await this.#readRecord()) ?? {};
    if (events === undefined) return eventsBytes;
    const file = await open(this.#path(EVENTS_FILE), constants.O_RDWR | constants.O_CREAT);
    try {
      const { size } = await file.stat();
      if (size < eventsBytes)
        throw new AppError('corrupt', `${this.#path(EVENTS_FILE)} is incomplete; sync into a new folder`);
      await file.truncate(eventsBytes);
      let end = eventsBytes;
      for await (const chunk of createReadStream(events)) {
        await writeFully(file, chunk, end);
        end += chunk.length;
      }
      await file.sync();
      return end;
    } finally {
      await file.close();
    }
  }

  async #putInPlace(): Promise<void> {
    const record = await this.#readRecord();
    if (record === undefined || record.pending.length === 0) return;
    for (const name of record.pending) {
      await rename(this.#path(`${name}.next`), this.#path(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
    await this.#sync();
    await this.#writeRecord({ ...record, pending: [] });
  }

  async #readRecord(): Promise<FolderState | undefined> {
    const path = this.#path(STATE_FILE);
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return undefined;
    try {
      return FolderStateSchema.parse(JSON.parse(text));
    } catch (cause) {
      throw new AppError('usage', `${path} is damaged; remove it and the other files of the copy`, { cause });
    }
  }

  async #writeRecord(record: FolderState): Promise<void> {
    const path = this.#path(STATE_FILE);
    await writeFile(`${path}.next`, `${JSON.stringify(record, null, 2)}\n`, { flush: true });
    await rename(`${path}.next`, path);
    await this.#sync();
  }

  /** Makes renames durable. */
  async #sync(): Promise<void> {
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

function fileOf(name: DatasetName): string {
  return `${name}.jsonl`;
}

/** Lines with some records replaced, added or removed. Holds the changes in memory. */
async function* merged(
  name: DatasetName,
  before: PlacedLines,
  { upserts, deletes }: { readonly upserts: Files; readonly deletes: Files },
): AsyncGenerator<string, void> {
  const changes = await changesOf(name, { upserts, deletes });
  let next = 0;
  for await (const { key, line } of keyedLines(name, before)) {
    for (; orderOf(changes[next], key) < 0; next += 1) yield* linesOf(changes[next]);
    if (orderOf(changes[next], key) > 0) {
      yield line;
    } else {
      yield* linesOf(changes[next]);
      next += 1;
    }
  }
  for (const change of changes.slice(next)) yield* linesOf(change);
}

function orderOf(change: KeyedChange | undefined, key: readonly string[]): number {
  return change === undefined ? 1 : compareKeys(change.key, key);
}

function linesOf(change: KeyedChange | undefined): readonly string[] {
  return change?.line === undefined ? [] : [change.line];
}

interface KeyedChange {
  readonly key: readonly string[];
  /** Undefined: the record is removed. */
  readonly line: string | undefined;
}

async function changesOf(
  name: DatasetName,
  { upserts: { [name]: upserts }, deletes: { [name]: deletes } }: { readonly upserts: Files; readonly deletes: Files },
): Promise<readonly KeyedChange[]> {
  const changes: KeyedChange[] = [];
  const add = async (path: string | undefined, lineOf: (line: string) => string | undefined) => {
    if (path === undefined) return;
    for await (const line of readLines(path)) {
      changes.push({ key: keyOf(name, parseRecord(line)), line: lineOf(line) });
    }
  };
  await add(upserts, (line) => line);
  await add(deletes, () => undefined);
  return changes.sort((a, b) => compareKeys(a.key, b.key));
}
