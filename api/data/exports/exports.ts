import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { AppError } from '../../../runtime/errors.ts';
import { deflateText, type Piece } from '../../../runtime/gzip-pieces.ts';
import { ratesOf } from '../../../schemas/cost.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import type { DatasetFile, Manifest } from '../../../schemas/manifest.ts';
import { LineReader } from '../../../storage/gzip-lines.ts';
import { releaseKey, snapshotPaths } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import type { View } from '../../view/view.ts';
import { dayFromSnapshot } from '../../view/view-meta.ts';
import { litellmJson } from './litellm.ts';
import { modelsDevJson } from './models-dev.ts';
import type { Names, Offer, RecordOfAnyVersion } from './offer.ts';
import { pricesCsv } from './prices-csv.ts';

/** By name of the file. Each gives the same text for the same offers. */
const WRITE = { 'litellm.json': litellmJson, 'models-dev.json': modelsDevJson, 'prices.csv': pricesCsv } as const;
export type ExportName = keyof typeof WRITE;

/** What exports are made of. */
export const EXPORTED = ['models', 'pricing'] as const satisfies readonly DatasetName[];
type Exported = (typeof EXPORTED)[number];

export interface ExportRequest {
  readonly name: ExportName;
  readonly snapshot: Manifest;
  /** Leaves out rows of these sources, and rows without a source, which may be theirs; empty: nothing. */
  readonly without: readonly string[];
}

/** Uncompressed lines of an export's datasets, nine times what the public record has: all its records are in memory at once. */
const CONTENT_BYTES_MAX = 64 * 1024 * 1024;

export function isTooLarge(snapshot: Manifest): boolean {
  return EXPORTED.reduce((sum, name) => sum + snapshotFile(snapshot, name).content_bytes, 0) > CONTENT_BYTES_MAX;
}
/** Of all exports that are ready, compressed. One of the public record has half a megabyte. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** Exports that wait to be made; each is made once. */
const WAITING_MAX = 20;
/** Of a compressed piece. */
const PIECE_LENGTH = 64 * 1024;
/** How long an export computes before other requests get their turn, in milliseconds. */
const TURN_MS = 5;

/** Makes exports of snapshots, one at a time and each once while it stays in the cache. */
export class Exports {
  readonly #store: Pick<ObjectStore, 'stream'>;
  readonly #making = pLimit(1);
  readonly #pending = new Map<string, Promise<readonly Piece[]>>();
  readonly #ready = new LRUCache<string, readonly Piece[]>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (pieces) => pieces.reduce((sum, piece) => sum + storedBytes(piece), 1),
  });

  constructor(store: Pick<ObjectStore, 'stream'>) {
    this.#store = store;
  }

  /** Rejects with `not_found` for a snapshot that was just pruned, `corrupt`, `store_unavailable`, or `unavailable` if too many wait. */
  async piecesOf(request: ExportRequest, view: View): Promise<readonly Piece[]> {
    const { name, snapshot, without } = request;
    const content = EXPORTED.map((dataset) => snapshotFile(snapshot, dataset));
    const key = JSON.stringify([name, view.names.value, content.map(({ content_sha256 }) => content_sha256), without]);
    const known = this.#ready.get(key) ?? this.#pending.get(key);
    if (known !== undefined) return known;
    if (this.#making.pendingCount >= WAITING_MAX)
      throw new AppError('unavailable', 'too many exports are waiting; try again in a moment');
    const making = this.#making(() => this.#make(request, view));
    this.#pending.set(key, making);
    try {
      const pieces = await making;
      this.#ready.set(key, pieces);
      return pieces;
    } finally {
      this.#pending.delete(key);
    }
  }

  async #make({ name, snapshot, without }: ExportRequest, view: View): Promise<readonly Piece[]> {
    const models = await this.#records<RecordOfAnyVersion<'models'>>(snapshot, 'models', view);
    const prices = await this.#records<RecordOfAnyVersion<'pricing'>>(snapshot, 'pricing', view);
    const known = new Map(models.map((model) => [model.id, model]));
    const offers = prices.flatMap((price): readonly Offer[] => {
      const model = known.get(price.model_id);
      const isIn = ({ source }: { readonly source?: string | null }) =>
        without.length === 0 || (typeof source === 'string' && !without.includes(source));
      return model !== undefined && isIn(price) && isIn(model) ? [{ model, price, rates: ratesOf(price) }] : [];
    });
    return packed(WRITE[name](offers, namesIn(view)));
  }

  /** Every line of a dataset, whose bytes are those that were published. */
  async #records<R>(snapshot: Manifest, dataset: Exported, { meta }: View): Promise<readonly R[]> {
    const file = snapshotFile(snapshot, dataset);
    const release = meta.catalog.releases.find(({ day }) => day === dayFromSnapshot(snapshot));
    if (release === undefined) throw new AppError('corrupt', `the catalog lacks ${snapshot.id}`);
    const key = releaseKey(release, snapshotPaths(snapshot).dataset(dataset));
    const hash = createHash('sha256');
    const records: R[] = [];
    await pipeline(
      await this.#store.stream(key),
      async function* hashed(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      createGunzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        const reader = new LineReader(chunks);
        for (let line = await reader.readLine(); line !== undefined; line = await reader.readLine()) {
          records.push(JSON.parse(line.toString('utf8')) as R); // As a night published it.
          reader.skip(line.length + 1);
        }
      },
    );
    if (hash.digest('hex') === file.sha256) return records;
    throw new AppError('corrupt', `${key} is not what was published`);
  }
}

/** Of current models. */
function namesIn(view: View): Names {
  const sql = `SELECT ids.id AS model, upstream, aliases.id AS name FROM aliases JOIN ids ON kind = 'model' AND number = model
    ORDER BY aliases.id`;
  const rows = view.rows<{ readonly model: string; readonly upstream: string; readonly name: string }>(sql);
  const byModel = [...Map.groupBy(rows, ({ model }) => model)].map(([model, of]) => {
    const byUpstream = [...Map.groupBy(of, ({ upstream }) => upstream)];
    return [model, new Map(byUpstream.map(([upstream, named]) => [upstream, named.map(({ name }) => name)]))] as const;
  });
  return new Map(byModel);
}

export function snapshotFile({ id, datasets }: Manifest, dataset: Exported): DatasetFile {
  const file = datasets.find(({ name }) => name === dataset);
  if (file === undefined) throw new AppError('corrupt', `the snapshot ${id} lacks ${dataset}`);
  return file;
}

async function packed(texts: Iterable<string>): Promise<readonly Piece[]> {
  const pieces: Piece[] = [];
  let [text, begun] = ['', performance.now()];
  for (const part of texts) {
    text += part;
    if (text.length >= PIECE_LENGTH) {
      pieces.push(deflateText(Buffer.from(text)));
      text = '';
    }
    if (performance.now() - begun <= TURN_MS) continue;
    await setImmediate();
    begun = performance.now();
  }
  return [...pieces, Buffer.from(text)];
}

function storedBytes(piece: Piece): number {
  return Buffer.isBuffer(piece) ? piece.length : piece.deflated.length;
}
