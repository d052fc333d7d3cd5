import { readFile, writeFile } from 'node:fs/promises';
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

/** A table in Markdown, below a title of level 2. */
export function markdownFromTable({ title, columns, rows, note }: ResultTable): string {
  return `## ${title}\n\n${tableAndNote({ columns, rows, note })}`;
}

function tableAndNote({ columns, rows, note }: Omit<ResultTable, 'title'>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line), '', note, ''].join('\n');
}

/**
 * Writes tables into a results file, each under its title with the date, the version and the machine. A table replaces the one of the
 * same title, so the file has the newest run of each.
 */
export async function recordResults(path: string, date: Date, tables: readonly ResultTable[]): Promise<void> {
  const facts = `${date.toISOString().slice(0, 10)}, modelstats ${await toolVersion()}: ${machineFacts()}`;
  await writeFile(path, replaceResults(await readFile(path, 'utf8'), facts, tables));
}

/** The text of a results file with these tables. @param facts the line below each title */
export function replaceResults(text: string, facts: string, tables: readonly ResultTable[]): string {
  const [intro = '', ...sections] = text.split(/^(?=## )/m);
  const byTitle = new Map(sections.map((section) => [section.slice(3, section.indexOf('\n')), section.trimEnd()]));
  for (const table of tables)
    byTitle.set(table.title, `## ${table.title}\n\n${facts}\n\n${tableAndNote(table)}`.trimEnd());
  return `${[intro.trimEnd(), ...byTitle.values()].join('\n\n')}\n`;
}

export function machineFacts(): string {
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  const cpu = cpus()[0]?.model.trim() ?? 'unknown processor';
  const load = loadavg().map((average) => average.toFixed(1));
  return (
    `${availableParallelism()} cores (${cpu}), ${memoryGb} GB, ${platform()} ${arch()}, ` +
    `Node ${process.versions.node}, DuckDB ${duckdbVersion()}; load ${load.join(', ')}.`
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
