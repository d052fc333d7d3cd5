import type { Day } from '../../runtime/day.ts';

/** Runs a night again; what is accepted stays accepted. */
export interface NightToRun {
  readonly day: Day;
  readonly source: string;
  readonly accept: boolean;
  readonly acceptSuspects: readonly string[];
}

/** The command that runs a night, as it can be pasted into a shell. */
export function nightCommand({ day, source, accept, acceptSuspects }: NightToRun): string {
  const suspects = acceptSuspects.length === 0 ? [] : ['--accept-suspect', ...acceptSuspects.map(quoted)];
  const words = [
    'modelstats nightly --source',
    quoted(source),
    '--day',
    day,
    ...(accept ? ['--accept'] : []),
    ...suspects,
  ];
  return words.join(' ');
}

/** A word of a shell's command line. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
