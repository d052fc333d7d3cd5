import { describeReason, type SetAside } from '../../../pipeline/night/check/issues.ts';
import type { Preview } from '../../../pipeline/night/preview.ts';
import { describeChanges } from '../../cli/describe-changes.ts';

/** What a dry run would publish, for people: a table of all datasets, then the first records of each kind, then what was set aside. */
export function describePreview({ datasets, set_aside }: Preview): string {
  const aside = set_aside.map(describeSetAside);
  return [describeChanges(datasets), ...(aside.length === 0 ? [] : ['set aside:', ...aside])].join('\n');
}

function describeSetAside(reason: SetAside): string {
  return `  ${reason.dataset}: ${describeReason(reason)}`;
}
