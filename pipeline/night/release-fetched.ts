import type { Day } from '../../schemas/day.ts';
import type { Release, SourceFile } from '../../schemas/release.ts';
import { fetchedFileFrom, type ReleasedFile, type Upstream } from '../../schemas/upstreams.ts';
import type { FetchRecord } from '../fetch/day/fetch-record.ts';

export interface ReleaseFetchedInput {
  readonly day: Day;
  readonly previous: Release | undefined;
  /** Those that the source names today; of a day that was fetched its record says who they were. */
  readonly upstreams: readonly Upstream[];
}

/** What a release says of upstreams and of files that were fetched from them; nothing where there are none. */
export function releaseFetched(
  fetched: FetchRecord | undefined,
  { day, previous, upstreams }: ReleaseFetchedInput,
): Pick<Release, 'upstreams' | 'fetched'> {
  if (fetched === undefined) return upstreams.length === 0 ? {} : { upstreams: [...upstreams] };
  const before = previous?.fetched ?? [];
  const files = fetched.files.map((file): ReleasedFile => {
    const told = fetchedFileFrom(file);
    if (file.status !== 'failed' && file.status !== 'carried') return { ...told, failed_since: null };
    const yesterday = before.find((one) => one.upstream === file.upstream && one.file === file.file);
    return { ...told, failed_since: yesterday?.failed_since ?? day };
  });
  return { upstreams: [...fetched.upstreams], fetched: files };
}

/** The source's own files that its SELECTs may have read, beside those that are told already. */
export function ownSourceFiles(fetched: FetchRecord | undefined, told: readonly SourceFile[]): readonly SourceFile[] {
  return (fetched?.own ?? [])
    .filter(({ file }) => !told.some(({ name }) => name === file))
    .map(({ file, bytes, sha256 }) => ({ name: file, dataset: null, bytes, sha256 }));
}

/** The ids of upstreams of which a file is that of an earlier day. */
export function carriedUpstreams(fetched: FetchRecord | undefined): readonly string[] {
  const carried = (fetched?.files ?? []).filter(({ status }) => status === 'carried');
  return [...new Set(carried.map(({ upstream }) => upstream))];
}
