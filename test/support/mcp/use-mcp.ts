import { beforeAll } from 'vitest';
import { mcpSurface } from '../../../api/mcp/mcp.ts';
import type { Customer } from '../accounts/subject.ts';
import { listen } from '../api/listen.ts';
import type { Days } from '../api/open-api.ts';
import { useApi } from '../api/use-api.ts';
import { SAMPLE_DAYS } from '../pipeline/sample-store.ts';
import { connect, type Era } from './clients.ts';

/** What brings MCP to an API, with keys alone. */
export const withMcp = async () => [mcpSurface({ publicUrl: undefined, version: '1', oauth: undefined })];

/** MCP beside the API over days, the sample days unless others are given, on a port of its own, as a test file has it. */
export function useMcp(days: Days = SAMPLE_DAYS, { now = '2026-06-04T12:00:00Z' } = {}) {
  const api = useApi({ days, now, accounts: { as: 'commercial' }, surfaces: withMcp });
  let url = '';
  beforeAll(async () => {
    url = `${await listen(api.app)}/mcp`;
  });
  /** An organization on Commercial with so many units a day, null for all that it wants. */
  const addCustomer = (daily_quota: number | null = null, burst_per_minute = 10_000) =>
    api.accounts.add({ plan: 'commercial', contract: { daily_quota, burst_per_minute } });
  const usedBy = async (customer: Customer) => (await api.accountOf(customer)).usage.used;
  return {
    api,
    /** Where messages go; known while the tests run. */
    get url() {
      return url;
    },
    addCustomer,
    usedBy,
    /** A client of such a customer of its own, and the units that it has used. */
    async connect({ era = 'new', units = 10 }: { readonly era?: Era; readonly units?: number | null } = {}) {
      const customer = await addCustomer(units);
      return { customer, client: await connect(era, url, customer.key), used: () => usedBy(customer) };
    },
  };
}
