import { z } from 'zod';

/** Of the preview of a held night: what would be gone. */
const PreviewSchema = z.looseObject({
  datasets: z.record(
    z.string(),
    z.looseObject({ gone: z.number(), examples: z.looseObject({ gone: z.array(z.string()) }) }),
  ),
});

/** What the scheduler reads of the answer of `nightly --json`; the rest is passed through. */
export const NightAnswerSchema = z.looseObject({
  status: z.enum(['published', 'already_published', 'held', 'rejected']),
  snapshot_id: z.string().nullable(),
  events: z.object({ upsert: z.number(), delete: z.number() }).nullable(),
  first_seq: z.number().nullable(),
  last_seq: z.number().nullable(),
  quarantined: z.number(),
  suspects_pending: z.number(),
  problems: z.array(z.string()),
  next_command: z.string().nullable(),
  warnings: z.array(z.string()),
  report: z.string().nullable(),
  preview: PreviewSchema.optional(),
});
export type NightAnswer = z.infer<typeof NightAnswerSchema>;

/** A night that gave no answer: the store, the disk or the process failed. */
export interface FailedNight {
  readonly status: 'failed';
  readonly problems: readonly string[];
}

/** How one attempt at a night ended. */
export type NightEnd = NightAnswer | FailedNight;

/** True where the day needs no further attempt. */
export function isPublished(end: NightEnd): boolean {
  return end.status === 'published' || end.status === 'already_published';
}
