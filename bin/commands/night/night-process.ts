import { NightAnswerSchema, type NightEnd } from '../../../pipeline/schedule/run-day.ts';
import type { Day } from '../../../runtime/day.ts';
import { ERROR_CODES, messageFromError } from '../../../runtime/errors.ts';
import { runToolProcess, type ToolProcessOptions } from './tool-process.ts';

export interface NightProcessOptions extends Pick<ToolProcessOptions<unknown>, 'command'> {
  readonly source: string;
  /** A night that takes longer is killed, in milliseconds. */
  readonly timeoutMs: number;
  /** The answer as it was printed. */
  readonly onAnswer: (line: string) => void;
}

/**
 * Runs one night in a process of its own, `modelstats nightly`: its memory is given back, a crash is a failed attempt while the scheduler
 * goes on, and a stop lets the night finish.
 */
export async function runNightProcess(day: Day, abandon: AbortSignal, options: NightProcessOptions): Promise<NightEnd> {
  const { command, source, timeoutMs, onAnswer } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const end = await runToolProcess({
    command,
    words: ['nightly', '--json', '--source', source, '--day', day],
    // The scheduler tells of the night, and of its end by a kill, too: an empty setting counts as not set.
    environment: { ...process.env, MODELSTATS_NOTIFY: '' },
    signal: AbortSignal.any([abandon, limit]),
    answer: NightAnswerSchema,
    answerCodes: [0, ERROR_CODES.held.exit, ERROR_CODES.source_rejected.exit],
  });
  switch (end.type) {
    case 'answered':
      onAnswer(end.line);
      return end.answer;
    case 'ended':
      return failed(end.complaint || `the night ended with ${end.how} and no answer`);
    case 'failed':
      if (abandon.aborted) return failed('abandoned: the scheduler was stopped');
      if (limit.aborted) return failed(`killed: it took longer than ${timeoutMs / 1000} s`);
      return failed(`${command[0]} can't be started: ${messageFromError(end.error)}`);
  }
}

function failed(problem: string): NightEnd {
  return { status: 'failed', problems: [problem] };
}
