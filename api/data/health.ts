import { z } from 'zod';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import type { Readiness } from '../server/metrics.ts';
import { START_RETRY_SECONDS } from '../view/follow/view-follower.ts';

const PROBLEM = {
  code: z.string().describe('Stable and machine-readable'),
  message: z.string().describe('For people'),
  since: z.iso.datetime().describe('When it began'),
};

const HealthProblemSchema = z
  .object(PROBLEM)
  .meta({ id: 'HealthProblem' })
  .nullable()
  .describe('Why the newest release is not served; null if it is');

const HEALTH_PARTS = ['view', 'accounts', 'limits', 'schedule'] as const;
export type HealthPart = (typeof HEALTH_PARTS)[number];

const HealthProblemsSchema = z
  .array(
    z
      .object({ part: z.enum(HEALTH_PARTS).describe('The part with the problem'), ...PROBLEM })
      .meta({ id: 'HealthProblemOfPart' }),
  )
  .describe('The problems of all parts: the view (as `problem`), the control database, Redis, the nights');

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
    status: z.literal('ready').describe('A release is served'),
    release: ReleaseSchema,
    problem: HealthProblemSchema,
    problems: HealthProblemsSchema,
  })
  .meta({ id: 'HealthReady' });
export const HealthNotReadySchema = z
  .object({
    status: z.enum(['starting', 'stopping']).describe('No release is served yet, or the server is stopping'),
    problem: HealthProblemSchema,
    problems: HealthProblemsSchema,
  })
  .meta({ id: 'HealthNotReady' });

export interface HealthSource {
  /** Undefined before the first view. */
  readonly release: z.infer<typeof ReleaseSchema> | undefined;
  /** Why the newest release is not served, in public wording. */
  readonly problem: HealthProblem | undefined;
}

export interface ProblemOfPart extends HealthProblem {
  readonly part: HealthPart;
}

/** The problem of a part; undefined: none. Called for every response, so it must be cheap. */
export type FindProblem = (part: Exclude<HealthPart, 'view'>) => HealthProblem | undefined;

/**
 * Ready as soon as a release is served, whatever the problems: old data are better than none, and a failed control
 * database affects every replica (specification "Health and metrics"; decision 0037). A stopping server is not ready,
 * so that new requests go elsewhere (decision 0093).
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

export function problemsOf(ofView: HealthProblem | undefined, findProblem: FindProblem): readonly ProblemOfPart[] {
  return HEALTH_PARTS.flatMap((part) => {
    const found = part === 'view' ? ofView : findProblem(part);
    return found === undefined ? [] : [{ part, ...found }];
  });
}

function bodyOf({ code, message, since }: HealthProblem): Readonly<Record<'code' | 'message' | 'since', string>> {
  return { code, message, since: since.toISOString() };
}
