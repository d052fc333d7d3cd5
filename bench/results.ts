import { appendFile, readFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { version as duckdbVersion } from '@duckdb/node-api';

export interface ResultTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What the columns mean and how they were measured, in a sentence or two. */
  readonly note: string;
}

/** A table in Markdown. */
export function markdownFromTable({ title, columns, rows, note }: ResultTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [`### ${title}`, '', line(columns), line(columns.map(() => '---')), ...rows.map(line), '', note, ''].join(
    '\n',
  );
}

/** Adds tables to a results file, under the date and what matters of the machine. */
export async function appendResults(path: string, date: Date, tables: readonly ResultTable[]): Promise<void> {
  const heading = `## ${date.toISOString().slice(0, 10)}, modelstats ${await toolVersion()}\n\n${machineFacts()}\n`;
  await appendFile(path, `\n${heading}\n${tables.map(markdownFromTable).join('\n')}`);
}

export function machineFacts(): string {
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  const cpu = cpus()[0]?.model.trim() ?? 'unknown processor';
  return (
    `${availableParallelism()} cores (${cpu}), ${memoryGb} GB of memory, ${platform()} ${arch()}, ` +
    `Node ${process.versions.node}, DuckDB ${duckdbVersion()}. Load average when it ended: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')} (the bench itself makes about ${availableParallelism()}).`
  );
}

async function toolVersion(): Promise<string> {
  const parsed: unknown = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
  return parsed !== null && typeof parsed === 'object' && 'version' in parsed ? String(parsed.version) : 'unknown';
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  if (low === undefined || high === undefined) throw new Error('the median of nothing');
  return (low + high) / 2;
}

export function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

export function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}
