import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { afterAll } from 'vitest';
import { checkOf } from '../../../api/view/feed.ts';
import { fileSum } from '../../../api/view/file-sum.ts';
import { INDEXES, SCHEMA } from '../../../api/view/schema.ts';
import { View } from '../../../api/view/view.ts';
import { VIEW_FORMAT, type ViewMeta } from '../../../api/view/view-meta.ts';
import type { Day } from '../../../runtime/day.ts';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { SCHEMA_VERSION } from '../../../schemas/record-versions.ts';

export type ViewDatabase = SqliteDatabase.Database;

/**
 * For a test file: opens views with rows of the test's own, without nights that would have published them. The releases have no more
 * than the test says; nothing is checked against them.
 */
export function useViewFiles() {
  let folder: Promise<string> | undefined;
  let count = 0;
  const opened: View[] = [];
  afterAll(async () => {
    for (const view of opened) await view.retire();
    if (folder !== undefined) rmSync(await folder, { recursive: true });
  });
  return async (fill: (database: ViewDatabase) => void, releases: readonly Partial<CatalogEntry>[] = [{}]) => {
    folder ??= mkdtemp(join(tmpdir(), 'modelstats-views-'));
    count += 1;
    const path = join(await folder, `${count}.sqlite`);
    const database = new SqliteDatabase(path);
    database.pragma('journal_mode = OFF');
    database.exec(`BEGIN; ${SCHEMA}`);
    fill(database);
    database.prepare('INSERT INTO meta VALUES (?)').run(JSON.stringify(metaWith(releases)));
    database.exec(`${INDEXES}; COMMIT`);
    database.close();
    const limits = { queriesMax: 2, queriesWaitingMax: 10, queryTimeoutMs: 20_000 };
    const view = View.open({ path, sum: await fileSum(path) }, { limits });
    opened.push(view);
    return view;
  };
}

/** @param events as JSON text, joined by commas. @param types one letter per event */
export function insertBlock(
  database: ViewDatabase,
  first: number,
  { types, events }: { types: string; events: string },
): void {
  const deflated = deflateRawSync(events, { finishFlush: constants.Z_SYNC_FLUSH });
  const block = { deflated, bytes: Buffer.byteLength(events), crc: crc32(events) };
  const check = checkOf(block);
  database
    .prepare('INSERT INTO events VALUES (@first, @types, @deflated, @bytes, @crc, @check)')
    .run({ first, types, ...block, check });
}

function metaWith(releases: readonly Partial<CatalogEntry>[]): Partial<ViewMeta> {
  return { format: VIEW_FORMAT, catalog: { format: 1, generation: 1, releases: releases.map(entryWith) } };
}

const DAY: Day = '2026-06-01';

function entryWith(its: Partial<CatalogEntry>): CatalogEntry {
  return {
    day: DAY,
    run: 'RUN',
    release_sha256: '0'.repeat(64),
    data_as_of: `${DAY}T23:59:59Z`,
    published_at: `${DAY}T23:59:59Z`,
    schema_version: SCHEMA_VERSION,
    captured: [],
    first_seq: null,
    last_seq: 0,
    parts: ['snapshot', 'changes', 'state'],
    ...its,
  };
}
