import { SingleBar } from 'cli-progress';
import type { CommandContext } from './command-context.ts';
import { terminalLine } from './terminal-text.ts';

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
  { isTerminal }: Pick<CommandContext, 'isTerminal'>,
  { total }: { readonly total: number },
): Progress {
  if (!isTerminal) return SILENT;
  const format = '{bar} {value}/{total} {name} {part}';
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true, stream: process.stderr });
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
    clear: () => process.stderr.write('\r\u001b[K'),
    stop: () => bar.stop(),
  };
}
