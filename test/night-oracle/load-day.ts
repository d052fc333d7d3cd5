import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DatasetName } from '../../schemas/datasets.ts';
import type { OracleDay } from './state.ts';
import { perDataset } from './state.ts';

/** Reads a folder `YYYY-MM-DD/` of `<dataset>.jsonl` or `.jsonl.gz` files as the capture at the end of that day. */
export function loadDay(folder: string): OracleDay {
  const day = basename(folder);
  return { day, capturedAt: `${day}T23:59:59Z`, rows: perDataset((dataset) => readRows(folder, dataset)) };
}

function readRows(folder: string, dataset: DatasetName): unknown[] | undefined {
  const plain = join(folder, `${dataset}.jsonl`);
  if (existsSync(plain)) return parseLines(readFileSync(plain, 'utf8'));
  if (existsSync(`${plain}.gz`)) return parseLines(gunzipSync(readFileSync(`${plain}.gz`)).toString('utf8'));
  return undefined;
}

function parseLines(text: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      return undefined; // a row that nobody can read
    }
  });
}
