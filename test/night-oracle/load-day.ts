import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DatasetName } from '../../schemas/datasets.ts';
import { type OracleAlias, type OracleDay, type OracleUpstream, perDataset } from './state.ts';

/** Reads a folder `YYYY-MM-DD/` of `<dataset>.jsonl` or `.jsonl.gz` files as the capture at the end of that day. */
export function loadDay(folder: string): OracleDay {
  const day = basename(folder);
  const rows = perDataset((dataset) => readRows(folder, dataset));
  return {
    day,
    capturedAt: `${day}T23:59:59Z`,
    rows,
    aliases: readAliases(join(folder, 'aliases.csv')),
    upstreams: readUpstreams(folder),
  };
}

const CSV_FIELD = /(?:"((?:[^"]|"")*)"|([^",\n]*))[,\n]/g;

/** The table of names beside a day's files, as CSV has it; none where there is no such file. */
function readAliases(path: string): OracleAlias[] {
  if (!existsSync(path)) return [];
  const fields = [...readFileSync(path, 'utf8').matchAll(CSV_FIELD)].map(
    ([, inQuotes, plain = '']) => inQuotes?.replaceAll('""', '"') ?? plain,
  );
  const aliases: OracleAlias[] = [];
  for (let at = 3; at < fields.length; at += 3) {
    const [upstream = '', id = '', model_id = ''] = fields.slice(at, at + 3);
    aliases.push({ upstream, id, model_id });
  }
  return aliases;
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

/** Whom the source names, in the file beside the days. */
function readUpstreams(folder: string): readonly OracleUpstream[] {
  const path = join(folder, '../source.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')).upstreams ?? []) : [];
}
