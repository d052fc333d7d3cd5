import { constants, copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import type { Release, SourceFile } from '../../schemas/release.ts';
import { fetchedFileFrom, type ReleasedFile, type Upstream } from '../../schemas/upstreams.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { FetchRecord, RecordedFile } from '../fetch/day/fetch-record.ts';
import { upstreamsOf } from './capture/missing-files.ts';
import type { SourceDay } from './source/source-day.ts';

export interface ReleaseFetchedInput {
  readonly day: Day;
  readonly previous: Release | undefined;
  /** Those that the source names today; of a day that was fetched its record says who they were. */
  readonly upstreams: readonly Upstream[];
  /** Those of its files that no fetch has ever brought. */
  readonly absent: readonly RecordedFile[];
}

/** What a release says of upstreams and of files that were fetched from them; nothing where there are none. */
export function releaseFetched(
  fetched: FetchRecord | undefined,
  { day, previous, upstreams, absent }: ReleaseFetchedInput,
): Pick<Release, 'upstreams' | 'fetched'> {
  if (fetched === undefined) return upstreams.length === 0 ? {} : { upstreams: [...upstreams] };
  const before = previous?.fetched ?? [];
  const files = fetched.files.map((file): ReleasedFile => {
    const told = fetchedFileFrom(file);
    if (file.status !== 'failed' && file.status !== 'carried') return { ...told, failed_since: null };
    const yesterday = before.find((one) => one.upstream === file.upstream && one.file === file.file);
    const failed = { ...told, failed_since: yesterday?.failed_since ?? day };
    return absent.includes(file) ? { ...failed, never_fetched: true } : failed;
  });
  return { upstreams: [...fetched.upstreams], fetched: files };
}

/** The source's own files that its SELECTs may have read, beside those that are told already. */
export function ownSourceFiles(fetched: FetchRecord | undefined, told: readonly SourceFile[]): readonly SourceFile[] {
  return (fetched?.own ?? [])
    .filter(({ file }) => !told.some(({ name }) => name === file))
    .map(({ file, bytes, sha256 }) => ({ name: file, dataset: null, bytes, sha256 }));
}

/** The ids of upstreams that failed today, as far as their rows may be there: those of an earlier day, or of a part of their files. */
export function failedUpstreams(fetched: FetchRecord | undefined, absent: readonly RecordedFile[]): readonly string[] {
  const carried = (fetched?.files ?? []).filter(({ status }) => status === 'carried');
  return [...new Set([...carried, ...absent].map(({ upstream }) => upstream))];
}

/** What an operator should know of upstreams that have no earlier file. */
export function absentNotes(absent: readonly RecordedFile[]): readonly string[] {
  return upstreamsOf(absent).map((id) => {
    const files = absent.filter(({ upstream }) => upstream === id).map(({ file }) => file);
    return `nothing of ${id} is captured before ${files.join(', ')} has been fetched once; all others go on`;
  });
}

/** Puts the bytes of files that may be carried into the release, where nights on any machine find them (decision 0096). */
export async function copyFetched({ folder: from, fetched }: SourceDay, to: string): Promise<void> {
  for (const { file, sha256, carry } of fetched?.files ?? []) {
    if (carry === undefined || sha256 === null) continue;
    const path = join(to, RELEASE_PATHS.fetched(file));
    await mkdir(dirname(path), { recursive: true });
    await copyFile(join(from, file), path, constants.COPYFILE_FICLONE);
  }
}
