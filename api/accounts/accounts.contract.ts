import { afterEach, beforeAll, describe } from 'vitest';
import { describeAudit, describeDatabase } from '../../test/support/accounts/contract-database.ts';
import { describeKeys } from '../../test/support/accounts/contract-keys.ts';
import { describeLoad } from '../../test/support/accounts/contract-load.ts';
import { describeQuota } from '../../test/support/accounts/contract-quota.ts';
import { describeUsage } from '../../test/support/accounts/contract-usage.ts';
import { subjectAt } from '../../test/support/accounts/subject.ts';

/**
 * The tests that accounts pass on every control database, of which `another` makes an empty one and gives its address. Each test has
 * organizations of its own in one database.
 */
export function describeAccounts(name: string, another: () => Promise<string>): void {
  describe(`accounts on ${name}`, () => {
    let url: string;
    const subject = subjectAt(() => url);

    beforeAll(async () => {
      url = await another();
    });
    afterEach(() => subject.closeAll());

    describeKeys(subject);
    describeAudit(subject);
    describeQuota(subject);
    describeLoad(subject);
    describeUsage(subject);
    describeDatabase(another);
  });
}
