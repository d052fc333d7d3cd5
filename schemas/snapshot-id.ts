import { type Day, isDay } from './day.ts';

/** Which snapshot an id names. */
export interface SnapshotName {
  readonly day: Day;
  /** The major version of a snapshot that was written beside the day's own during a notice; null for the day's own. */
  readonly noticedMajor: number | null;
}

/** A snapshot's stable id: the day; `2026-11-20-v2` for one of a version that is under notice. */
export function idFromSnapshot({ day, noticedMajor }: SnapshotName): string {
  return noticedMajor === null ? day : `${day}-v${noticedMajor}`;
}

const SNAPSHOT_ID = /^(\d{4}-\d{2}-\d{2})(?:-v([1-9]\d{0,5}))?$/;

/** What an id names, whether or not there is such a snapshot; undefined for any other text. */
export function snapshotFromId(id: string): SnapshotName | undefined {
  const [, day, major] = SNAPSHOT_ID.exec(id) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  return { day, noticedMajor: major === undefined ? null : Number(major) };
}
