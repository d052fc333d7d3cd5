/** How answers are sent by Fastify: what a request asks goes in, status, headers and body come out. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { BaseUrlOf } from '../http/base-url.ts';
import { acceptsGzip } from '../http/gzip.ts';
import { ALL_RIGHTS } from './access/rights.ts';
import type { Answer, Answers, AnswerWithBody, Asker, DataRequest } from './answers/answers.ts';
import type { DataRoute } from './answers/data-route.ts';
import { getVisit } from './bind-access.ts';
import { ACCOUNT_ROUTE, answerAccount } from './routes/account.ts';

export interface DataRouteBinding {
  readonly answers: Answers;
  /** Whether a request needs a visit; otherwise everything is open to all. */
  readonly isGuarded: boolean;
  readonly baseUrlOf: BaseUrlOf;
  /** Smallest answer that is packed when asked for. */
  readonly compressFromBytes: number;
}

/** Adds a data route to the app. */
export function bindDataRoute(app: FastifyInstance, route: DataRoute, binding: DataRouteBinding): void {
  const { answers, isGuarded, baseUrlOf, compressFromBytes } = binding;
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
      const answer = await answers.answer(route, { params, query, headers, key, baseUrl, onRelease }, asker);
      if (!isKept(answer, compressFromBytes) || !acceptsGzip(headers['accept-encoding'])) return send(reply, answer);
      const packed = await answers.packed(answer);
      return send(reply.header('Content-Encoding', 'gzip'), { ...answer, body: packed }); // Which the tag tells then.
    } catch (error) {
      if (dataAsOf !== undefined) reply.header('X-Data-As-Of', dataAsOf);
      throw error;
    }
  });
}

/** Adds `GET /v1/account`, for an app that asks for keys. */
export function bindAccountRoute(app: FastifyInstance): void {
  app.get(ACCOUNT_ROUTE.name, { config: { access: ACCOUNT_ROUTE } }, async (request, reply) =>
    send(reply, await answerAccount(getVisit(request))),
  );
}

const ANYBODY: Asker = { rights: ALL_RIGHTS };

/** True for a body that may be asked for again, and is worth packing; others are packed as they are sent. */
function isKept(answer: Answer, bytesMin: number): answer is AnswerWithBody {
  return Buffer.isBuffer(answer.body) && answer.body.length >= bytesMin;
}

function send(reply: FastifyReply, { status, headers, body, giveBack }: Answer): FastifyReply {
  // Not on 'close': a connection that broke may still be reading.
  if (giveBack !== undefined) reply.raw.once('finish', giveBack);
  return reply.code(status).headers(headers).send(body);
}
