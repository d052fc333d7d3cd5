import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import pc from 'picocolors';
import { timestampFromDate } from '../../runtime/day.ts';
import { colourSequence, terminalLine } from './terminal-text.ts';

export const paint = paintFor(pc.isColorSupported);

export function paintFor(hasColours: boolean) {
  const painter = (begin: number, end: number) => (text: string | number) =>
    hasColours ? `${colourSequence(begin)}${text}${colourSequence(end)}` : String(text);
  return {
    bold: painter(1, 22),
    dim: painter(2, 22),
    red: painter(31, 39),
    green: painter(32, 39),
    yellow: painter(33, 39),
  } as const;
}

/** Dates as published, null as an empty cell. */
type Cell = string | number | Date | null;

/** @param numbersFrom first column that is aligned right */
export function tableText(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { numbersFrom = head.length }: { readonly numbersFrom?: number } = {},
): string {
  const colAligns = head.map((_, at) => (at < numbersFrom ? 'left' : 'right'));
  const table = new Table({ head: [...head], style: { head: [], border: [] }, colAligns });
  for (const row of rows)
    table.push(row.map((cell) => (cell instanceof Date ? timestampFromDate(cell) : (cell ?? ''))));
  return table.toString();
}

export interface Progress {
  readonly next: (name: string) => void;
  readonly part: (name: string) => void;
  /** Clears the bar's line for other output. */
  readonly clear: () => void;
  readonly stop: () => void;
}

const SILENT: Progress = { next: () => {}, part: () => {}, clear: () => {}, stop: () => {} };

/** Silent without a terminal. */
export function showProgress(
  { isTerminal }: { readonly isTerminal: boolean },
  { total }: { readonly total: number },
): Progress {
  if (!isTerminal) return SILENT;
  const bar = openBar('{bar} {value}/{total} {name} {part}');
  let current = '';
  let begun = 0;
  bar.start(total, 0, { name: '', part: '' });
  return {
    next: (name) => {
      current = name;
      bar.update(begun, { name: terminalLine(name), part: '' });
      begun += 1;
    },
    part: (part) => bar.update({ name: terminalLine(current), part: terminalLine(part) }),
    clear: clearLine,
    stop: () => bar.stop(),
  };
}

export function openBar(format: string): SingleBar {
  return new SingleBar({ format, clearOnComplete: true, hideCursor: true, stream: process.stderr });
}

export function clearLine(): void {
  process.stderr.write('\r\u001b[K');
}
