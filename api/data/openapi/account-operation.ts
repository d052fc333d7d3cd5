import { AccountSchema } from '../../accounts/account.ts';
import { COMMON_ERRORS } from './data-operation.ts';
import { byStatus, errorResponse, nameFrom } from './error-responses.ts';
import { HEADERS, headersOf } from './headers.ts';
import { BEARER, type Collectors, type Paths } from './operation.ts';

const EXAMPLE = {
  plan: {
    plan: 'builder',
    plan_version: 1,
    display_name: 'Builder',
    status: 'active',
    daily_quota: 5000,
    burst_per_minute: 300,
    history_months: 12,
    features: ['history', 'snapshots', 'incremental'],
    attribution_required: false,
    redistribution_allowed: false,
    period_end: '2026-07-01T00:00:00Z',
  },
  usage: { quota_day: '2026-06-30', used: 12, limit: 5000, remaining: 4988, reset_at: 1782864000, burst_limit: 300 },
  client_source: 'api_key',
};

/** `GET /v1/account`: asks for a key, costs no quota, is never cached. */
export function accountOperation({ schemas, responses }: Collectors): Paths {
  const failures = byStatus(COMMON_ERRORS.filter((code) => code !== 'quota_exceeded'));
  return {
    '/v1/account': {
      get: {
        operationId: 'getAccount',
        summary: "The organization's plan and what is used of it today",
        tags: ['account'],
        security: BEARER,
        responses: {
          200: {
            description: "The organization's plan and what is used of it today",
            headers: headersOf([...HEADERS.meta, ...HEADERS.limits]),
            content: {
              'application/json': { schema: schemas.schemaFrom(ACCOUNT, 'output'), example: EXAMPLE },
            },
          },
          ...Object.fromEntries(
            failures.map(([status, codes]) => [
              status,
              responses.share(nameFrom(codes), errorResponse(codes, HEADERS.limits)),
            ]),
          ),
        },
      },
    },
  };
}

const ACCOUNT = AccountSchema.meta({ id: 'Account' });
