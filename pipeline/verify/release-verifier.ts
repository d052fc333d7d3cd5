import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CatalogEntry, catalogEntryFromRelease } from '../../schemas/catalog.ts';
import { cursorFromSeq } from '../../schemas/cursor.ts';
import { DATASETS } from '../../schemas/datasets.ts';
import { isAppError, messageFromError } from '../../schemas/errors.ts';
import type { DatasetFile } from '../../schemas/manifest.ts';
import type { Release } from '../../schemas/release.ts';
import { loadRelease } from '../../storage/catalog.ts';
import { type Database, sqlText } from '../../storage/duckdb.ts';
import { hashFile } from '../../storage/hash.ts';
import { partOfPath, RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { lineSql } from '../../storage/record-sql.ts';
import { fetchReleaseFile } from '../../storage/release-files.ts';
import { replaySql } from '../replay-sql.ts';
import { writeLines } from '../snapshot.ts';
import { linesSql, noLinesSql, type SnapshotLines } from './snapshot-lines.ts';

interface ReleaseVerifierInput {
  readonly entry: CatalogEntry;
  readonly previous: CatalogEntry | undefined;
  readonly database: Database;
  /** Folder for this release's files. */
  readonly scratch: string;
  readonly lines: SnapshotLines;
  readonly store: ObjectStore;
}

/** The checks of one release; each adds to `problems` what it finds. */
export class ReleaseVerifier {
  readonly problems: string[] = [];
  /** True once the release has been replayed from the one before. */
  isReplayed = false;
  readonly #input: ReleaseVerifierInput;

  constructor(input: ReleaseVerifierInput) {
    this.#input = input;
  }

  async run(): Promise<void> {
    const { entry, store } = this.#input;
    const release = await this.#attempt(() => loadRelease(store, entry));
    if (release === undefined) return;
    this.#checkEntry(release);
    if (!(await this.#fetchFiles(release))) return;
    if (entry.parts.includes('changes')) await this.#checkSeqs(release);
    if (entry.parts.includes('snapshot')) await this.#attempt(() => this.#checkSnapshot(release));
  }

  #checkEntry(release: Release): void {
    const { entry, previous } = this.#input;
    const expected = { ...catalogEntryFromRelease(release, entry.release_sha256), parts: entry.parts };
    if (JSON.stringify(expected) !== JSON.stringify(entry))
      this.problems.push('the catalog says other than release.json');
    const prev = release.prev?.release_sha256;
    if (prev !== previous?.release_sha256) this.problems.push('it does not follow from the snapshot before it');
    if (release.manifest.prev_id !== (previous?.day ?? null)) this.problems.push('its prev_id is not the one before');
    if (release.manifest.change_cursor !== cursorFromSeq(release.last_seq)) {
      this.problems.push('its change_cursor is not its last seq');
    }
  }

  async #fetchFiles(release: Release): Promise<boolean> {
    const before = this.problems.length;
    for (const folder of ['snapshot', 'state', 'history']) await mkdir(this.#path(folder), { recursive: true });
    for (const { path } of release.files) {
      const part = partOfPath(path);
      if (part !== undefined && !this.#input.entry.parts.includes(part)) continue;
      await this.#attempt(() => fetchReleaseFile(this.#input.store, release, path, this.#path(path)));
    }
    return this.problems.length === before;
  }

  async #checkSnapshot(release: Release): Promise<void> {
    const { entry, previous, lines } = this.#input;
    const stored: unknown = JSON.parse(await readFile(this.#path(RELEASE_PATHS.manifest), 'utf8'));
    if (JSON.stringify(stored) !== JSON.stringify(release.manifest)) {
      this.problems.push(`${RELEASE_PATHS.manifest} says other than release.json`);
    }
    const hasStart = previous === undefined || previous.parts.includes('snapshot');
    if (previous !== undefined && hasStart) await lines.require(previous);
    for (const file of release.manifest.datasets) await this.#checkDataset(file);
    if (hasStart && entry.parts.includes('changes')) await this.#replay(release);
    await lines.shift(entry);
  }

  /** The snapshot's lines, unpacked, are those recorded; and the state holds the same records. */
  async #checkDataset(file: DatasetFile): Promise<void> {
    const packed = this.#path(RELEASE_PATHS.snapshot(file.name));
    const compressed = await hashFile(packed);
    if (compressed.bytes !== file.bytes || compressed.sha256 !== file.sha256) {
      this.problems.push(`${file.name}: the manifest's size or sha256 is not the file's`);
    }
    await this.#compareContent(file, await this.#input.lines.unpack(file.name, packed), 'the snapshot');
    if (!this.#input.entry.parts.includes('state')) return;
    const state = sqlText(this.#path(RELEASE_PATHS.state(file.name)));
    await this.#compareQuery(file, `SELECT ${lineSql(DATASETS[file.name])} FROM read_parquet(${state})`, 'the state');
  }

  async #checkSeqs(release: Release): Promise<void> {
    const changes = sqlText(this.#path(RELEASE_PATHS.changes));
    const row = await this.#input.database.row(
      `SELECT count(*)::DOUBLE AS events, count(DISTINCT seq)::DOUBLE AS seqs, min(seq)::DOUBLE AS first,
              max(seq)::DOUBLE AS last FROM read_parquet(${changes}) WHERE occurred_on = '${release.day}'`,
    );
    const before = this.#input.previous?.last_seq ?? 0;
    const events = release.last_seq - before;
    const first = events === 0 ? null : before + 1;
    const isGapless =
      row['events'] === events &&
      row['seqs'] === events &&
      row['first'] === first &&
      row['last'] === (events === 0 ? null : release.last_seq) &&
      release.first_seq === first &&
      release.events.upsert + release.events.delete === events;
    if (!isGapless) this.problems.push(`its events are not numbered ${before + 1} to ${release.last_seq} without gaps`);
  }

  async #replay(release: Release): Promise<void> {
    const { previous, lines } = this.#input;
    const changes = `SELECT * FROM read_parquet(${sqlText(this.#path(RELEASE_PATHS.changes))})`;
    for (const file of release.manifest.datasets) {
      const dataset = DATASETS[file.name];
      if (dataset.entityType === null) continue;
      const records = previous === undefined ? noLinesSql(dataset) : linesSql(dataset, lines.previous(file.name));
      const select = replaySql(dataset, { previous: records, changes });
      await this.#compareQuery(file, select, 'the snapshot before plus the events');
    }
    this.isReplayed = previous !== undefined;
  }

  async #compareQuery(file: DatasetFile, select: string, what: string): Promise<void> {
    const path = this.#path(`${file.name}.compared`);
    await this.#attempt(async () => {
      await writeLines(this.#input.database, select, path);
      await this.#compareContent(file, path, what);
    });
  }

  async #compareContent(file: DatasetFile, path: string, what: string): Promise<void> {
    const { bytes, sha256 } = await hashFile(path);
    if (bytes === file.content_bytes && sha256 === file.content_sha256) return;
    this.problems.push(`${file.name}: ${what} does not give the recorded content (sha256 ${sha256})`);
  }

  #path(name: string): string {
    return join(this.#input.scratch, name);
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (isAppError(error, 'store_unavailable')) throw error;
      this.problems.push(messageFromError(error));
      return undefined;
    }
  }
}
