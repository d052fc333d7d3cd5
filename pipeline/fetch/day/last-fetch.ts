import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Day, isDay } from '../../../runtime/day.ts';
import { type FetchRecord, type RecordedFile, readFetchRecord } from './fetch-record.ts';
import { isWhole } from './whole-files.ts';

/** Folders of days that are looked at; who hasn't changed for longer sends the file once more. */
const DAYS_MAX = 31;

/** A file of an earlier fetch, whole, with the folder of its day. */
export interface EarlierFile {
  readonly folder: string;
  readonly recorded: RecordedFile;
}

/** The fetches before this one, newest first: of the day itself, and of days before in the same archive. */
export async function listEarlier(
  into: string,
  { day, ownRecord }: { readonly day: Day; readonly ownRecord: FetchRecord | undefined },
): Promise<readonly EarlierFile[]> {
  const names = await readdir(into).catch(() => []);
  const days = names
    .filter((name) => isDay(name) && name < day)
    .sort()
    .reverse()
    .slice(0, DAYS_MAX);
  const found = filesOf(join(into, day), ownRecord);
  for (const name of days) found.push(...filesOf(join(into, name), await readFetchRecord(join(into, name))));
  return found;
}

function filesOf(folder: string, record: FetchRecord | undefined): EarlierFile[] {
  return (record?.files ?? []).map((recorded) => ({ folder, recorded }));
}

/** The newest whole one that is wanted; undefined where there is none. */
export async function findEarlier(
  earlier: readonly EarlierFile[],
  isWanted: (recorded: RecordedFile) => boolean,
): Promise<EarlierFile | undefined> {
  for (const one of earlier) {
    if (isWanted(one.recorded) && (await isWhole(one.folder, { ...one.recorded, unzipped: null }))) return one;
  }
  return undefined;
}

/** Whether an upstream can be asked if a file has changed. */
export function hasValidator({ etag, last_modified }: RecordedFile): boolean {
  return (etag ?? last_modified) !== null;
}
