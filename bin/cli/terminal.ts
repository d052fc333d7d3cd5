/** What commands show people: colours, tables, and a bar while they work. */
import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import pc from 'picocolors';
import { timestampFromDate } from '../../runtime/day.ts';
import { colourSequence, terminalLine } from './terminal-text.ts';

/** Colours of what is printed, where the terminal has them. */
export const paint = paintFor(pc.isColorSupported);

/** {@link paint} for a terminal that has colours, or for whatever else. */
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

/** A time is shown as it is published, null as an empty cell. */
type Cell = string | number | Date | null;

/** A table with its columns' names above. @param numbersFrom the first column whose cells stand at the right */
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
  /** Begins the next item and names it. */
  readonly next: (name: string) => void;
  /** Names the part of the item that is being done. */
  readonly part: (name: string) => void;
  /** Clears the bar's line, so that something else can be printed. */
  readonly clear: () => void;
  readonly stop: () => void;
}

const SILENT: Progress = { next: () => {}, part: () => {}, clear: () => {}, stop: () => {} };

/** A bar on stderr; silent where stderr is no terminal. */
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

/** A bar on stderr. */
export function openBar(format: string): SingleBar {
  return new SingleBar({ format, clearOnComplete: true, hideCursor: true, stream: process.stderr });
}

/** Clears the line of a bar. */
export function clearLine(): void {
  process.stderr.write('\r\u001b[K');
}
