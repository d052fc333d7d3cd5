import { createReadStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAppError, messageFromError } from '../../runtime/errors.ts';
import { type CatalogEntry, catalogEntryFromRelease } from '../../schemas/catalog.ts';
import { DATASETS } from '../../schemas/datasets.ts';
import type { DatasetFile, Manifest } from '../../schemas/manifest.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { getVersion } from '../../schemas/record-versions.ts';
import { eventDayOf, manifestsOf, type Release } from '../../schemas/release.ts';
import { loadRelease } from '../../storage/catalog.ts';
import { sqlText, writeLines } from '../../storage/duckdb/database.ts';
import { lineSql } from '../../storage/duckdb/record-sql.ts';
import { nullable, number } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { LineReader, unpackLines } from '../../storage/gzip-lines.ts';
import { sha256 } from '../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey, snapshotPaths } from '../../storage/keys.ts';
import { findRecordFault, linesSql, misnamedEventsSql, noLinesSql, replaySql } from '../proof/replay.ts';
import type { WorkDeps } from '../run/run.ts';
import {
  findContentProblems,
  findFetchedProblems,
  findManifestProblems,
  findPackedProblems,
} from './release-problems.ts';
import type { SnapshotLines } from './snapshot-lines.ts';
import { isListed } from './stored-objects.ts';

/** The scratch folder is for this release only. */
interface ReleaseVerifierInput extends WorkDeps {
  readonly entry: CatalogEntry;
  readonly previous: CatalogEntry | undefined;
  readonly lines: SnapshotLines;
  readonly versions: readonly RecordVersion[];
}

const EVENTS = { events: number, seqs: number, first: nullable(number), last: nullable(number), others: number };

export class ReleaseVerifier {
  readonly problems: string[] = [];
  /** True once replayed from its predecessor. */
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
    await this.#attempt(() => this.#checkMark());
    if (!(await this.#fetchFiles(release))) return;
    if (entry.parts.includes('changes')) {
      await this.#checkSeqs(release);
      await this.#attempt(() => this.#checkNames());
    }
    if (entry.parts.includes('snapshot')) await this.#attempt(() => this.#checkSnapshot(release));
  }

  #checkEntry(release: Release): void {
    const { entry, previous } = this.#input;
    const { parts, repaired } = entry;
    const derived = { ...catalogEntryFromRelease(release, entry.release_sha256), parts };
    const expected = repaired === undefined ? derived : { ...derived, repaired };
    if (JSON.stringify(expected) !== JSON.stringify(entry)) this.problems.push('the catalog differs from release.json');
    const prev = release.prev?.release_sha256;
    this.problems.push(...findFetchedProblems(release));
    if (prev !== previous?.release_sha256) this.problems.push('it does not follow from the previous snapshot');
    for (const manifest of manifestsOf(release)) {
      this.problems.push(...findManifestProblems(manifest, { release, previousDay: previous?.day }));
    }
  }

  /** The mark is a copy of release.json; older programs left it empty, and a killed night has none. */
  async #checkMark(): Promise<void> {
    const { entry, store } = this.#input;
    const mark = await store.get(releaseKey(entry, RELEASE_PATHS.published));
    if (mark === undefined || mark.body.length === 0 || sha256(mark.body) === entry.release_sha256) return;
    this.problems.push(`${RELEASE_PATHS.published} is not a copy of release.json`);
  }

  async #fetchFiles(release: Release): Promise<boolean> {
    const before = this.problems.length;
    for (const { path } of release.files) {
      await mkdir(dirname(this.#path(path)), { recursive: true });
      if (!isListed(this.#input.entry, path)) continue;
      await this.#attempt(() => fetchReleaseFile(this.#input.store, release, path, this.#path(path)));
    }
    return this.problems.length === before;
  }

  async #checkSnapshot(release: Release): Promise<void> {
    const { entry, previous, lines } = this.#input;
    for (const manifest of manifestsOf(release)) await this.#checkStored(manifest);
    const hasStart = previous === undefined || previous.parts.includes('snapshot');
    if (previous !== undefined && hasStart) await lines.require(previous);
    for (const file of release.manifest.datasets) {
      await this.#checkDataset(file, release.manifest, lines.current(file.name));
    }
    for (const manifest of release.noticed_manifests ?? []) {
      await this.#attempt(() => this.#checkNoticed(manifest, release));
    }
    if (hasStart && entry.parts.includes('changes')) await this.#replay(release);
    await lines.shift(entry);
  }

  async #checkStored(manifest: Manifest): Promise<void> {
    const path = snapshotPaths(manifest).manifest;
    const stored: unknown = JSON.parse(await readFile(this.#path(path), 'utf8'));
    if (JSON.stringify(stored) !== JSON.stringify(manifest)) this.problems.push(`${path} differs from release.json`);
  }

  /** Also that the state holds the same records. */
  async #checkDataset(file: DatasetFile, manifest: Manifest, linesPath: string): Promise<void> {
    const packed = this.#path(snapshotPaths(manifest).dataset(file.name));
    this.problems.push(...(await findPackedProblems(file, packed)));
    const what = manifest.id === this.#input.entry.day ? 'the snapshot' : `the snapshot ${manifest.id}`;
    await unpackLines(packed, linesPath);
    this.problems.push(...(await findContentProblems(file, linesPath, what)));
    if (!this.#input.entry.parts.includes('state')) return;
    const state = sqlText(this.#path(RELEASE_PATHS.state(file.name)));
    const line = lineSql(this.#versionOf(manifest).datasets[file.name]);
    await this.#compareQuery(file, `SELECT ${line} FROM read_parquet(${state})`, 'the state');
  }

  /** Against the lines in force, which are unpacked already. */
  async #checkNoticed(manifest: Manifest, release: Release): Promise<void> {
    for (const file of manifest.datasets) {
      const noticed = this.#path(`${file.name}.noticed`);
      await this.#checkDataset(file, manifest, noticed);
      const linesOf = (of: Manifest, path: string) => ({
        dataset: this.#versionOf(of).datasets[file.name],
        lines: new LineReader(createReadStream(path)),
      });
      const fault = await findRecordFault({
        inForce: linesOf(release.manifest, this.#input.lines.current(file.name)),
        noticed: linesOf(manifest, noticed),
      });
      if (fault === undefined) continue;
      this.problems.push(`${file.name}: ${manifest.id} has other records than the day's: ${fault}`);
    }
  }

  #versionOf({ schema_version }: Manifest): RecordVersion {
    return getVersion(this.#input.versions, schema_version);
  }

  async #checkSeqs(release: Release): Promise<void> {
    const changes = sqlText(this.#path(RELEASE_PATHS.changes));
    const row = await this.#input.database.row(
      EVENTS,
      `SELECT count(*)::DOUBLE AS events, count(DISTINCT seq)::DOUBLE AS seqs, min(seq)::DOUBLE AS first,
              max(seq)::DOUBLE AS last, count(*) FILTER (schema_version <> $1)::DOUBLE AS others
       FROM read_parquet(${changes}) WHERE occurred_on = '${eventDayOf(release)}'`,
      [release.schema_version],
    );
    const before = this.#input.previous?.last_seq ?? 0;
    const events = release.last_seq - before;
    const first = events === 0 ? null : before + 1;
    const isGapless =
      row.events === events &&
      row.seqs === events &&
      row.first === first &&
      row.last === (events === 0 ? null : release.last_seq) &&
      release.first_seq === first &&
      release.events.upsert + release.events.delete === events;
    if (!isGapless) this.problems.push(`its events are not numbered ${before + 1} to ${release.last_seq} without gaps`);
    if (row.others !== 0) this.problems.push(`some of its events are not in version ${release.schema_version}`);
  }

  async #checkNames(): Promise<void> {
    const { database } = this.#input;
    const changes = `read_parquet(${sqlText(this.#path(RELEASE_PATHS.changes))})`;
    const misnamed = await database.row({ events: number }, misnamedEventsSql(changes));
    if (misnamed.events !== 0) {
      this.problems.push(`${misnamed.events} of its events do not name one record in entity_id, key and data`);
    }
    const repeated = await database.row(
      { events: number },
      `SELECT (count(*) - count(DISTINCT (entity_type, entity_id)))::DOUBLE AS events FROM ${changes}`,
    );
    if (repeated.events !== 0) this.problems.push(`${repeated.events} of its events have the entity_id of another one`);
  }

  async #replay(release: Release): Promise<void> {
    const { previous, lines } = this.#input;
    const changes = `SELECT * FROM read_parquet(${sqlText(this.#path(RELEASE_PATHS.changes))})`;
    for (const file of release.manifest.datasets) {
      const dataset = DATASETS[file.name];
      if (dataset.entityType === null) continue;
      const records = previous === undefined ? noLinesSql(dataset) : linesSql(dataset, lines.previous(file.name));
      const select = replaySql(dataset, { previous: records, changes });
      await this.#compareQuery(file, select, 'the previous snapshot plus the events');
    }
    this.isReplayed = previous !== undefined;
  }

  async #compareQuery(file: DatasetFile, select: string, what: string): Promise<void> {
    const path = this.#path(`${file.name}.compared`);
    await this.#attempt(async () => {
      await writeLines(this.#input.database, select, path);
      this.problems.push(...(await findContentProblems(file, path, what)));
    });
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
