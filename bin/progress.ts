import { SingleBar } from 'cli-progress';
import { STAGES, type Stage } from '../pipeline/night.ts';
import type { Day } from '../schemas/day.ts';
import type { CommandContext } from './commands/command-context.ts';

export interface Progress {
  readonly day: (day: Day) => void;
  readonly stage: (stage: Stage) => void;
  /** Takes the bar off the terminal, so that a line can be printed. */
  readonly clear: () => void;
  readonly stop: () => void;
}

/** A bar on stderr over all days and their stages; silent where stderr is no terminal. */
export function showProgress({ isTerminal }: Pick<CommandContext, 'isTerminal'>, days: number): Progress {
  if (!isTerminal) return { day: () => {}, stage: () => {}, clear: () => {}, stop: () => {} };
  const bar = new SingleBar({
    format: '{bar} {value}/{total} {day} {stage}',
    clearOnComplete: true,
    hideCursor: true,
    stream: process.stderr,
    etaBuffer: 1,
  });
  let done = 0;
  let current: Day = '';
  const total = days * STAGES.length;
  bar.start(total, 0, { day: '', stage: '' });
  return {
    day: (day) => {
      current = day;
      bar.update(done * STAGES.length, { day, stage: '' });
      done += 1;
    },
    stage: (stage) => bar.update((done - 1) * STAGES.length + STAGES.indexOf(stage), { day: current, stage }),
    clear: () => process.stderr.write('\r\u001b[K'),
    stop: () => bar.stop(),
  };
}
