import { z } from 'zod';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import type { Readiness } from '../server/metrics.ts';
import { START_RETRY_SECONDS } from '../view/view-follower.ts';

const PROBLEM = {
  code: z.string().describe('Stable and machine-readable'),
  message: z.string().describe('For people'),
  since: z.iso.datetime().describe('When it began'),
};

const HealthProblemSchema = z
  .object(PROBLEM)
  .meta({ id: 'HealthProblem' })
  .nullable()
  .describe('Why the newest release is not the one that is served; null where it is');

/** What the service is made of, as far as it may have a problem of its own. */
const HEALTH_PARTS = ['view', 'accounts', 'limits', 'schedule'] as const;
export type HealthPart = (typeof HEALTH_PARTS)[number];

const HealthProblemsSchema = z
  .array(
    z
      .object({ part: z.enum(HEALTH_PARTS).describe('What has the problem'), ...PROBLEM })
      .meta({ id: 'HealthProblemOfPart' }),
  )
  .describe('Everything that does not do its work: the view (as `problem`), the control database, Redis, the nights');

const ReleaseSchema = z
  .object({
    day: z.iso.date().describe('The day that is served'),
    data_as_of: z.iso.datetime().describe('Point in time that the data reflect'),
    published_at: z.iso.datetime().describe('When the release was published'),
  })
  .meta({ id: 'ServedRelease', description: 'The release that is served' });

export const HealthLiveSchema = z.object({ status: z.literal('live').describe('Always') }).meta({ id: 'HealthLive' });
export const HealthReadySchema = z
  .object({
    status: z.literal('ready').describe('There is a release to answer from'),
    release: ReleaseSchema,
    problem: HealthProblemSchema,
    problems: HealthProblemsSchema,
  })
  .meta({ id: 'HealthReady' });
export const HealthNotReadySchema = z
  .object({
    status: z
      .enum(['starting', 'stopping'])
      .describe('There is no release to answer from yet, or the server is about to stop'),
    problem: HealthProblemSchema,
    problems: HealthProblemsSchema,
  })
  .meta({ id: 'HealthNotReady' });

/** What the API knows of the view that it answers from. */
export interface HealthSource {
  /** The release that is served; undefined before there is one. */
  readonly release: z.infer<typeof ReleaseSchema> | undefined;
  /** Why the newest release is not the one that is served, for the public. */
  readonly problem: HealthProblem | undefined;
}

export interface ProblemOfPart extends HealthProblem {
  readonly part: HealthPart;
}

/** Asks the other parts how they are; undefined: well. It is asked for each answer, so it costs nothing. */
export type FindProblem = (part: Exclude<HealthPart, 'view'>) => HealthProblem | undefined;

/**
 * Ready with a release to serve; the problems that the service has besides don't make it less ready: yesterday's data are better
 * than none, and a control database that is down is down for every replica (specification "Health and metrics"; decision 0037).
 * One that is about to stop is not: the others get what would come to it (decision 0093).
 */
export function readinessOf(
  { release, problem: ofView }: HealthSource,
  findProblem: FindProblem,
  { isStopping }: { readonly isStopping: boolean },
): Readiness {
  const problem = ofView === undefined ? null : bodyOf(ofView);
  const problems = problemsOf(ofView, findProblem).map(({ part, ...found }) => ({ part, ...bodyOf(found) }));
  if (isStopping) return { isReady: false, body: { status: 'stopping', problem, problems } };
  if (release === undefined)
    return { isReady: false, body: { status: 'starting', problem, problems }, retryAfterSeconds: START_RETRY_SECONDS };
  const { day, data_as_of, published_at } = release;
  return { isReady: true, body: { status: 'ready', release: { day, data_as_of, published_at }, problem, problems } };
}

/** The problems of all parts, for the public. */
export function problemsOf(ofView: HealthProblem | undefined, findProblem: FindProblem): readonly ProblemOfPart[] {
  return HEALTH_PARTS.flatMap((part) => {
    const found = part === 'view' ? ofView : findProblem(part);
    return found === undefined ? [] : [{ part, ...found }];
  });
}

function bodyOf({ code, message, since }: HealthProblem): Readonly<Record<'code' | 'message' | 'since', string>> {
  return { code, message, since: since.toISOString() };
}
