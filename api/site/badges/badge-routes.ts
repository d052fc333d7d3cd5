import { JSON_TYPE } from '../../data/answers/answers.ts';
import { HttpError, type RequestInvalid } from '../../server/errors/http-error.ts';
import { type PublicRefusal, type PublicRoute, type PublicRouteDefinition, publicRoute } from '../public-route.ts';
import { type Badge, SVG_HEADERS, SVG_TYPE, shieldsJsonOf, svgOf } from './badge.ts';

/** A badge as it is written down: its path without `.svg` and `.json`, and what it says. */
export interface BadgeDefinition<Params, Query> extends Pick<PublicRouteDefinition<Params, Query>, 'params' | 'query'> {
  readonly operationId: string;
  readonly summary: string;
  readonly path: `/badges/${string}`;
  /** Rejects with HttpError or RequestInvalid. */
  readonly badge: (...asked: Parameters<PublicRouteDefinition<Params, Query>['answer']>) => Promise<Badge>;
}

/** A badge as a picture, and for shields.io. */
export function badgeRoutes<P, Q>(definition: BadgeDefinition<P, Q>): readonly PublicRoute[] {
  const { path, badge, operationId, summary, ...description } = definition;
  return [
    publicRoute<P, Q>({
      ...description,
      path: `${path}.svg`,
      operation: { operationId, summary },
      type: SVG_TYPE,
      headers: SVG_HEADERS,
      refuse: (error) => refused(error, svgOf),
      answer: async (...asked) => svgOf(await badge(...asked)),
    }),
    publicRoute<P, Q>({
      ...description,
      path: `${path}.json`,
      operation: { operationId: `${operationId}ForShields`, summary: `${summary}, for shields.io` },
      type: JSON_TYPE,
      // What is no 200 shields.io doesn't read, and so would say nothing of what is wrong.
      refuse: (error) => {
        const refusal = refused(error, shieldsJsonOf);
        return refusal?.status === 404 || refusal?.status === 422 ? { ...refusal, status: 200 } : refusal;
      },
      answer: async (...asked) => shieldsJsonOf(await badge(...asked)),
    }),
  ];
}

/** An error as a badge; undefined where it is a defect, or of what is no badge. */
function refused(error: HttpError | RequestInvalid, bodyOf: (badge: Badge) => string): PublicRefusal | undefined {
  const told = wordsOf(error);
  if (told === undefined) return undefined;
  const badge: Badge = { label: 'modelstats', message: told.message, color: 'red', isError: true };
  return { status: told.status, body: bodyOf(badge) };
}

function wordsOf(error: HttpError | RequestInvalid) {
  if (error instanceof HttpError) {
    const message = REFUSALS[error.code];
    return message === undefined ? undefined : { status: error.status, message };
  }
  const [problem] = error.detail;
  return problem && { status: 422, message: `${String(problem.loc.at(-1))}: ${problem.msg}` };
}

const REFUSALS: Readonly<Record<string, string>> = {
  not_found: 'unknown model',
  rate_limit_exceeded: 'too many requests',
  unavailable: 'not available now',
};

/** The badge that says where data come from. */
export const sourceBadgeRoutes = badgeRoutes({
  path: '/badges/source',
  operationId: 'getSourceBadge',
  summary: 'A badge that says where data come from',
  badge: async () => ({ label: 'data', message: 'modelstats', color: 'blue' }),
});
