import Table from 'cli-table3';
import { describeReason, type SetAside } from '../../../pipeline/night/check/reasons.ts';
import type { ChangedRecord, DatasetPreview, Preview } from '../../../pipeline/night/preview.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';

/** What a dry run would publish, for people: a table of all datasets, then the first records of each kind, then what was set aside. */
export function describePreview({ datasets, set_aside }: Preview): string {
  const table = new Table({
    head: ['', 'before', 'after', 'new', 'changed', 'gone', 'carried'],
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right'],
  });
  for (const name of DATASET_NAMES) {
    const { before, after, changed, gone, carried, new: added } = datasets[name];
    table.push([name, before, after, added, changed, gone, carried]);
  }
  const examples = DATASET_NAMES.flatMap((name) => describeExamples(name, datasets[name]));
  const aside = set_aside.map(describeSetAside);
  return [table.toString(), ...examples, ...(aside.length === 0 ? [] : ['set aside:', ...aside])].join('\n');
}

function describeSetAside(reason: SetAside): string {
  return `  ${reason.dataset}: ${describeReason(reason)}`;
}

function describeExamples(name: string, { examples, ...counts }: DatasetPreview): readonly string[] {
  return [
    ...listed(`${name} new`, examples.new, counts.new),
    ...listed(`${name} gone`, examples.gone, counts.gone),
    ...listed(`${name} changed`, examples.changed.map(describeChange), counts.changed),
  ];
}

function listed(title: string, lines: readonly string[], total: number): readonly string[] {
  if (total === 0) return [];
  const rest = total - lines.length;
  return [`${title}:`, ...lines.map((line) => `  ${line}`), ...(rest > 0 ? [`  … and ${rest} more`] : [])];
}

function describeChange({ id, fields }: ChangedRecord): string {
  const told = fields.map(
    ({ field, before, after }) => `${field} ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
  );
  return `${id}: ${told.join(', ')}`;
}
