import { describeReason, type SetAside } from '../../../pipeline/night/check/issues.ts';
import type { NightResult } from '../../../pipeline/night/night-result.ts';
import type { Preview } from '../../../pipeline/night/preview.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import { describeChanges } from '../../cli/describe-changes.ts';
import { paint, tableText } from '../../cli/terminal.ts';

/** A night's result for people. */
export function describeNight(result: NightResult): string {
  const told = describeStatus(result);
  return result.preview === undefined ? told : `${told}\n${describePreview(result.preview)}`;
}

function describeStatus(result: NightResult): string {
  const { day, status } = result;
  switch (status) {
    case 'published':
    case 'dry_run':
      return `${paint.green(status === 'dry_run' ? 'would publish' : 'published')} ${day}  ${describeContent(result)}`;
    case 'already_published':
      return `${paint.dim('already published')} ${day}  (${result.published_at})`;
    case 'held':
    case 'rejected':
      return [
        `${paint.red(status)} ${day}`,
        ...result.problems.map((problem) => `  ${problem}`),
        ...advice(result),
      ].join('\n');
  }
}

function describeContent({ records, events, first_seq, last_seq, quarantined, suspects_pending }: NightResult): string {
  const counts = DATASET_NAMES.map((name) => `${records?.[name] ?? 0} ${name}`).join(', ');
  const seqs = first_seq === null ? 'no change' : `seq ${first_seq} to ${last_seq}`;
  const changes = events === null ? '' : `${events.upsert} upserts, ${events.delete} deletes (${seqs})`;
  const aside = [
    ...(quarantined > 0 ? [`${quarantined} rows quarantined`] : []),
    ...(suspects_pending > 0 ? [`${suspects_pending} suspect prices held back`] : []),
  ];
  return [counts, changes, ...aside].join('; ');
}

function advice({ status, next_command: command, report }: NightResult): readonly string[] {
  const when = status === 'held' ? 'If the source is right' : 'When the source is mended';
  return [
    '  Nothing was published.',
    ...(command === null ? [] : [`  ${when}, run: ${command}`]),
    ...(report === null ? [] : [`  Details: ${report}/report.json and issues.jsonl`]),
  ];
}

/** What a dry run would publish, for people: a table of all datasets, then the first records of each kind, then what was set aside. */
function describePreview({ datasets, set_aside }: Preview): string {
  const aside = set_aside.map(describeSetAside);
  return [describeChanges(datasets, tableText), ...(aside.length === 0 ? [] : ['set aside:', ...aside])].join('\n');
}

function describeSetAside(reason: SetAside): string {
  return `  ${reason.dataset}: ${describeReason(reason)}`;
}
