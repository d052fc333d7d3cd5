import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatasetName } from '../../../schemas/datasets.ts';

/** A day's rows as a source gives them; a dataset that is left out is not captured. */
export type DayRows = { readonly [Name in DatasetName]?: readonly object[] | undefined };

/** Writes a day's folder: `<dataset>.jsonl` for each dataset that has rows, even none. */
export async function writeDay(folder: string, rows: DayRows): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [dataset, records] of Object.entries(rows)) {
    if (records !== undefined) await writeFile(join(folder, `${dataset}.jsonl`), linesFromRows(records));
  }
}

export function linesFromRows(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
