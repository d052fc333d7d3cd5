/** Sentences that many texts have in common. */
import { rowsOf } from './table.ts';
import type { Telling } from './telling.ts';

/** `3 of 120 models, data as of 2026-06-03 23:59 UTC.` */
export function countedLine({ body, dataAsOf }: Telling, { rows, noun }: Counted): string {
  const shown = rowsOf(body, rows).length;
  const total = typeof body['total'] === 'number' ? ` of ${body['total']}` : '';
  return `${shown}${total} ${noun}${asOf(dataAsOf)}.`;
}

export interface Counted {
  /** The list of the body. */
  readonly rows: string;
  /** What its rows are, in the plural. */
  readonly noun: string;
}

/** `, data as of 2026-06-03T23:59:59Z`; nothing where it isn't known. */
export function asOf(dataAsOf: string | undefined): string {
  return dataAsOf === undefined ? '' : `, data as of ${dataAsOf}`;
}

/** What was cut, and how the list goes on. */
export function pageLine({ body, cut }: Telling): string {
  const cursor = body['next_cursor'];
  const why = cut === 0 ? '' : `${cut} rows of this page were left out, as the answer would have been too long. `;
  if (typeof cursor !== 'string') return why === '' ? 'This is the last page.' : why.trim();
  return `${why}There is more: call again with cursor "${cursor}" and the same other arguments.`;
}

/** Lines, without those that say nothing. */
export function lines(...all: readonly (string | undefined)[]): string {
  return all.filter((line) => line !== undefined && line !== '').join('\n');
}
