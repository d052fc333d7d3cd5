/** How answers are sent by Fastify: what a request asks goes in, status, headers and body come out. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BaseUrlOf } from '../server/base-url.ts';
import { acceptsGzip } from '../server/gzip.ts';
import type { SendWhole } from '../server/whole-answers.ts';
import { ALL_RIGHTS } from './access/rights.ts';
import type { Answers, Asker, DataRequest } from './answers/answers.ts';
import type { DataRoute } from './answers/data-route.ts';
import { getVisit } from './bind-access.ts';
import { ACCOUNT_ROUTE, answerAccount } from './routes/account.ts';

export interface DataRouteBinding {
  readonly answers: Answers;
  /** Whether a request needs a visit; otherwise everything is open to all. */
  readonly isGuarded: boolean;
  readonly baseUrlOf: BaseUrlOf;
  readonly sendWhole: SendWhole;
}

/** Adds a data route to the app. */
export function bindDataRoute(app: FastifyInstance, route: DataRoute, binding: DataRouteBinding): void {
  const { answers, isGuarded, baseUrlOf, sendWhole } = binding;
  const hasAddresses = 'once' in route.answer;
  app.get(route.path, { config: { access: route.access } }, async (request, reply) => {
    let dataAsOf: string | undefined;
    const onRelease: DataRequest['onRelease'] = (release) => {
      dataAsOf = release.data_as_of;
    };
    try {
      const asker = isGuarded ? getVisit(request) : ANYBODY;
      const { params, query, headers, url: key } = request;
      const baseUrl = hasAddresses ? baseUrlOf(request) : undefined;
      const mayPack = acceptsGzip(headers['accept-encoding']);
      const answer = await answers.answer(route, { params, query, headers, key, baseUrl, mayPack, onRelease }, asker);
      request.cacheResult = answer.headers['X-Cache'];
      // Not on 'close': a connection that broke may still be reading.
      if (answer.giveBack !== undefined) reply.raw.once('finish', answer.giveBack);
      return sendWhole(request, reply, answer);
    } catch (error) {
      if (dataAsOf !== undefined) reply.header('X-Data-As-Of', dataAsOf);
      throw error;
    }
  });
}

/** Adds `GET /v1/account`, for an app that asks for keys. */
export function bindAccountRoute(app: FastifyInstance, sendWhole: SendWhole): void {
  app.get(ACCOUNT_ROUTE.name, { config: { access: ACCOUNT_ROUTE } }, async (request, reply) =>
    sendWhole(request, reply, await answerAccount(getVisit(request))),
  );
}

const ANYBODY: Asker = { rights: ALL_RIGHTS };

/** What an answer that was sent said as `X-Cache`; undefined where it was no data answer. */
export function cacheResultOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const told = reply.getHeader('x-cache') ?? request.cacheResult;
  return typeof told === 'string' ? told : undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** `X-Cache` of a data route's answer, once there is one. */
    cacheResult?: string | undefined;
  }
}
