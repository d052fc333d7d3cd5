import type { DatasetName } from '../../../schemas/datasets.ts';
import { describePlace, hintOn, type Issue, type IssueKind } from './issues.ts';

/** Rows that were set aside for one reason. */
export interface SetAside {
  readonly dataset: DatasetName;
  readonly kind: IssueKind;
  readonly field: string;
  readonly reason: string;
  /** Of those that the report lists. */
  readonly rows: number;
  readonly first: Pick<Issue, 'file' | 'line' | 'row' | 'value'>;
}

/** The reasons for which rows were set aside, those of most rows first. */
export function reasonsOf(issues: readonly Issue[]): readonly SetAside[] {
  const reasons = new Map<string, SetAside>();
  for (const issue of issues) {
    const { dataset, kind, field, reason, file, line, row, value } = issue;
    const name = JSON.stringify([dataset, kind, field, reason]);
    const before = reasons.get(name);
    const rows = (before?.rows ?? 0) + 1;
    reasons.set(name, { dataset, kind, field, reason, rows, first: before?.first ?? { file, line, row, value } });
  }
  return [...reasons.values()].sort((a, b) => b.rows - a.rows);
}

/** `11 × value: is not a number (the first in scores.jsonl line 1: "n/a")`. */
export function describeReason({ field, reason, rows, first }: SetAside): string {
  const value = first.value === null ? '' : `: ${JSON.stringify(first.value)}`;
  const place = `${rows > 1 ? 'the first in ' : ''}${first.file} ${describePlace(first)}${value}`;
  return `${rows} × ${field}: ${reason} (${place})${hintOn({ field, reason, value: first.value })}`;
}
