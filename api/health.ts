import { z } from 'zod';
import type { Readiness } from '../http/health.ts';

const HealthProblemSchema = z
  .object({
    code: z.string().describe('Stable and machine-readable'),
    message: z.string().describe('For people'),
    since: z.iso.datetime().describe('When it began'),
  })
  .nullable()
  .describe('Why the newest release is not the one that is served; null where it is');

const ReleaseSchema = z.object({
  day: z.iso.date().describe('The day that is served'),
  data_as_of: z.iso.datetime().describe('Point in time that the data reflect'),
  published_at: z.iso.datetime().describe('When the release was published'),
});

export const HealthLiveSchema = z.object({ status: z.literal('live').describe('Always') }).meta({ id: 'HealthLive' });
export const HealthReadySchema = z
  .object({
    status: z.literal('ready').describe('There is a release to answer from'),
    release: ReleaseSchema.describe('The release that is served'),
    problem: HealthProblemSchema,
  })
  .meta({ id: 'HealthReady' });
export const HealthStartingSchema = z
  .object({
    status: z.literal('starting').describe('There is no release to answer from yet'),
    problem: HealthProblemSchema,
  })
  .meta({ id: 'HealthStarting' });

/** What the API knows of the view that it answers from. */
export interface HealthSource {
  /** The release that is served; undefined before there is one. */
  readonly release: z.infer<typeof ReleaseSchema> | undefined;
  /** Why the newest release is not the one that is served. */
  readonly problem: HealthProblem | undefined;
}

interface HealthProblem {
  /** Stable and machine-readable. */
  readonly code: string;
  /** For the public. */
  readonly message: string;
  readonly since: Date;
}

/**
 * Ready with a release to serve; `problem` tells why that may not be the newest one, which doesn't make it less ready:
 * yesterday's data are better than none (specification "Health and metrics").
 */
export function readinessOf({ release, problem }: HealthSource): Readiness {
  const told = problem === undefined ? null : bodyOf(problem);
  if (release === undefined) return { isReady: false, body: { status: 'starting', problem: told } };
  const { day, data_as_of, published_at } = release;
  return { isReady: true, body: { status: 'ready', release: { day, data_as_of, published_at }, problem: told } };
}

function bodyOf({ code, message, since }: HealthProblem): z.infer<typeof HealthProblemSchema> {
  return { code, message, since: since.toISOString() };
}
