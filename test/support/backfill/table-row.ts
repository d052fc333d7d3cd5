import type { Day } from '../../../runtime/day.ts';

/** A row of a pricing table, as a source gives it. */
export interface TableRow {
  readonly model_id: string;
  readonly provider: string;
  readonly input_per_million: number | null;
  readonly output_per_million: number | null;
  readonly currency: string | null;
  readonly effective_from: Day | null;
  readonly effective_to: Day | null;
}

/** A row with sensible values where the test names none. */
export function tableRow(values: Partial<TableRow> = {}): TableRow {
  return {
    model_id: 'm1',
    provider: 'p1',
    input_per_million: 1,
    output_per_million: 2,
    currency: 'USD',
    effective_from: null,
    effective_to: null,
    ...values,
  };
}
