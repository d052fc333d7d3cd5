import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { describeAudit } from '../test/support/accounts/contract-audit.ts';
import { describeDatabase } from '../test/support/accounts/contract-database.ts';
import { describeIdempotency } from '../test/support/accounts/contract-idempotency.ts';
import { describeKeys } from '../test/support/accounts/contract-keys.ts';
import { describeKill } from '../test/support/accounts/contract-kill.ts';
import { describeLoad } from '../test/support/accounts/contract-load.ts';
import { describeQuota } from '../test/support/accounts/contract-quota.ts';
import { describeQuotaDays } from '../test/support/accounts/contract-quota-days.ts';
import { describeRequestCounts } from '../test/support/accounts/contract-request-counts.ts';
import { describeUsageReport } from '../test/support/accounts/contract-usage-report.ts';
import { subjectAt } from '../test/support/accounts/subject.ts';

/** An empty control database. */
export interface EmptyDatabase {
  readonly url: string;
  /** Another empty database of the same kind. */
  another(): Promise<string>;
  close(): Promise<void>;
}

/** The tests that accounts pass on every control database. Each test has organizations of its own in one database. */
export function describeAccounts(name: string, create: () => Promise<EmptyDatabase>): void {
  describe(`accounts on ${name}`, () => {
    let database: EmptyDatabase;
    const subject = subjectAt(() => database.url);

    beforeAll(async () => {
      database = await create();
    });
    afterEach(() => subject.closeAll());
    afterAll(() => database?.close());

    describeKeys(subject);
    describeAudit(subject);
    describeQuota(subject);
    describeQuotaDays(subject);
    describeIdempotency(subject);
    describeLoad(subject);
    describeKill(subject);
    describeRequestCounts(subject);
    describeUsageReport(subject);
    describeDatabase(() => database.another());
  });
}
