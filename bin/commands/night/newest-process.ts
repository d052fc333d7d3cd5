import { z } from 'zod';
import { messageFromError } from '../../../runtime/errors.ts';
import { ReleaseSchema } from '../../../schemas/release.ts';
import type { ReleaseFacts } from '../../../storage/release-metrics.ts';
import { runToolProcess, type ToolProcessOptions } from './tool-process.ts';

export interface NewestProcessOptions extends Pick<ToolProcessOptions<unknown>, 'command'> {
  /** A look that takes longer is killed, in milliseconds. */
  readonly timeoutMs: number;
}

/** Of what a process complains, in characters: its end. */
const COMPLAINT_MAX = 500;

const facts = { day: true, published_at: true, quarantined: true, suspects_pending: true, fetched: true } as const;
const AnswerSchema = z.looseObject({ newest: z.object(ReleaseSchema.shape).pick(facts).nullable() });

/**
 * Reads what the newest release tells by `modelstats status --json`, in a process of its own: a read that hangs on a dead disk would keep this
 * one from ending, as it would with a night. Undefined where there is none; rejects where it can't be found out.
 */
export async function readNewestByProcess(
  stop: AbortSignal,
  { command, timeoutMs }: NewestProcessOptions,
): Promise<ReleaseFacts | undefined> {
  const end = await runToolProcess({
    command,
    words: ['status', '--json'],
    signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
    answer: AnswerSchema,
    answerCodes: [0],
  });
  switch (end.type) {
    case 'answered':
      return end.answer.newest ?? undefined;
    case 'ended':
      throw new Error(end.complaint.slice(-COMPLAINT_MAX) || `status ended with ${end.how} and no answer`);
    case 'failed': {
      const message = `the store was not read within ${timeoutMs / 1000} s: ${messageFromError(end.error)}`;
      throw new Error(message, { cause: end.error });
    }
  }
}
