import Table from 'cli-table3';
import type { ChangedRecord, DatasetChanges } from '../../pipeline/night/preview.ts';
import { plainNumbers } from '../../runtime/plain-number.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';

/** What becomes of all datasets from one day to the next, for people: counts, then the first records of each kind. */
export function describeChanges(
  datasets: Readonly<Record<DatasetName, DatasetChanges & { readonly carried?: number }>>,
): string {
  const hasCarried = Object.values(datasets).some(({ carried }) => carried !== undefined);
  const head = ['before', 'after', 'new', 'changed', 'gone', ...(hasCarried ? ['carried'] : [])];
  const table = new Table({
    head: ['', ...head],
    style: { head: [], border: [] },
    colAligns: ['left', ...head.map(() => 'right' as const)],
  });
  for (const name of DATASET_NAMES) {
    const { before, after, changed, gone, carried, new: added } = datasets[name];
    table.push([name, before, after, added, changed, gone, ...(carried === undefined ? [] : [carried])]);
  }
  return [table.toString(), ...DATASET_NAMES.flatMap((name) => describeExamples(name, datasets[name]))].join('\n');
}

function describeExamples(name: string, { examples, ...counts }: DatasetChanges): readonly string[] {
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
  const told = fields.map(({ field, before, after }) => `${field} ${fromTo(before, after)}`);
  return `${id}: ${told.join(', ')}`;
}

function fromTo(before: unknown, after: unknown): string {
  const isNumbers = typeof before === 'number' && typeof after === 'number';
  const [was, is] = isNumbers ? plainNumbers(before, after) : [before, after];
  return `${JSON.stringify(was)} → ${JSON.stringify(is)}`;
}
