import { SingleBar } from 'cli-progress';
import type { SyncStep } from '../../../client/sync/copy.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { terminalLine } from '../../cli/terminal-text.ts';

export interface ShownSteps {
  readonly show: (step: SyncStep) => void;
  /** Clears the bar's line, so that something else can be printed. */
  readonly clear: () => void;
  readonly stop: () => void;
}

/** How a sync goes on, as a bar on stderr; silent where stderr is no terminal. */
export function showSteps({ isTerminal }: Pick<CommandContext, 'isTerminal'>): ShownSteps {
  if (!isTerminal) return { show: () => {}, clear: () => {}, stop: () => {} };
  const format = '{bar} {percentage} % {what}';
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true, stream: process.stderr });
  let current = '';
  return {
    show: (step) => {
      const { what, value, of } = describe(step);
      if (what !== current) bar.start(of, value, { what });
      current = what;
      bar.update(value, { what });
    },
    clear: () => process.stderr.write('\r\u001b[K'),
    stop: () => {
      bar.stop();
      current = '';
    },
  };
}

function describe(step: SyncStep): { readonly what: string; readonly value: number; readonly of: number } {
  switch (step.is) {
    case 'download':
      return { what: `downloading ${step.dataset}`, value: step.bytes, of: step.of };
    case 'import':
      return { what: `importing snapshot ${terminalLine(step.snapshot)}`, value: 0, of: 1 };
    case 'follow':
      return { what: `following the feed to event ${step.of}`, value: step.seq, of: step.of };
    case 'list':
      return { what: `reading the list of ${step.dataset}`, value: step.records, of: step.of };
    case 'check':
      return { what: `checking ${step.dataset}`, value: 0, of: 1 };
  }
}
