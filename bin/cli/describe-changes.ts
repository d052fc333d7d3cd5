import type { ChangedRecord, DatasetChanges } from '../../pipeline/night/preview.ts';
import { plainNumbers } from '../../runtime/plain-number.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import type { CommandContext } from './command.ts';

/** The changes of all datasets between two days, for people: counts, then examples. */
export function describeChanges(
  datasets: Readonly<Record<DatasetName, DatasetChanges & { readonly carried?: number }>>,
  tableText: CommandContext['tableText'],
): string {
  const hasCarried = Object.values(datasets).some(({ carried }) => carried !== undefined);
  const head = ['', 'before', 'after', 'new', 'changed', 'gone', ...(hasCarried ? ['carried'] : [])];
  const rows = DATASET_NAMES.map((name) => {
    const { before, after, changed, gone, carried, new: added } = datasets[name];
    return [name, before, after, added, changed, gone, ...(carried === undefined ? [] : [carried])];
  });
  const examples = DATASET_NAMES.flatMap((name) => describeExamples(name, datasets[name]));
  return [tableText(head, rows, { numbersFrom: 1 }), ...examples].join('\n');
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
  const texts = fields.map(({ field, before, after }) => `${field} ${fromTo(before, after)}`);
  return `${id}: ${texts.join(', ')}`;
}

function fromTo(before: unknown, after: unknown): string {
  const isNumbers = typeof before === 'number' && typeof after === 'number';
  const [was, is] = isNumbers ? plainNumbers(before, after) : [before, after];
  return `${JSON.stringify(was)} → ${JSON.stringify(is)}`;
}
