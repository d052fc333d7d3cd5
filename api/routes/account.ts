import type { FastifyInstance } from 'fastify';
import type { AccessControl, RouteAccess } from '../access/access-control.ts';

const ACCESS: RouteAccess = { route: '/v1/account', capability: 'account', feature: null };

/** `GET /v1/account` (SPEC "Account object"): a meta route, never cached, that costs no quota. */
export function addAccount(app: FastifyInstance, access: AccessControl): void {
  app.get('/v1/account', { config: { access: ACCESS } }, async (request, reply) => {
    const account = await access.accountOf(request);
    return reply.header('Cache-Control', 'no-store').send(account);
  });
}
