import { beforeAll } from 'vitest';
import { mcpFace } from '../../../mcp/mcp.ts';
import type { Customer } from '../accounts/subject.ts';
import { listen } from '../api/listen.ts';
import type { Days, TestApi } from '../api/open-api.ts';
import { useApi } from '../api/use-api.ts';
import { SAMPLE_DAYS } from '../pipeline/sample-store.ts';

/** MCP beside the API over days, the sample days unless told, on a port of its own, as a test file has it. */
export interface TestMcp {
  readonly api: TestApi;
  /** Where messages go; known while the tests run. */
  readonly url: string;
  /** An organization on Commercial with so many units a day. */
  addCustomer(daily_quota: number): Promise<Customer>;
  /** Units that the customer has used today. */
  usedBy(customer: Customer): Promise<number>;
}

export function useMcp(days: Days = SAMPLE_DAYS): TestMcp {
  const api = useApi({
    days,
    now: '2026-06-04T12:00:00Z',
    accounts: { as: 'commercial' },
    faces: async () => [mcpFace({ publicUrl: undefined, version: '1', oauth: undefined })],
  });
  let url = '';
  beforeAll(async () => {
    url = `${await listen(api.app)}/mcp`;
  });
  return {
    api,
    get url() {
      return url;
    },
    addCustomer: (daily_quota) =>
      api.accounts.add({ plan: 'commercial', contract: { daily_quota, burst_per_minute: 10_000 } }),
    usedBy: async (customer) => (await api.accountOf(customer)).usage.used,
  };
}
