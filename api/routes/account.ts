import type { FastifyInstance } from 'fastify';
import { AccountSchema } from '../../schemas/account.ts';
import type { AccessControl, RouteAccess } from '../access/access-control.ts';
import { describeRoute } from '../openapi/describe-route.ts';
import { NO_PARAMETERS } from '../parameters-common.ts';

const ACCESS: RouteAccess = { route: '/v1/account', capability: 'account', feature: null };

/** `GET /v1/account` (SPEC "Account object"): a meta route, never cached, that costs no quota. */
export function addAccount(app: FastifyInstance, access: AccessControl): void {
  const schema = describeRoute({
    path: '/v1/account',
    capability: 'account',
    summary: "The organization's plan and today's usage",
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    response: AccountSchema.meta({ id: 'Account' }),
    errors: [],
  });
  app.get('/v1/account', { schema, config: { access: ACCESS } }, async (request, reply) => {
    const account = await access.accountOf(request);
    return reply.header('Cache-Control', 'no-store').send(account);
  });
}
