import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { describeDatabase } from './testing/contract-database.ts';
import { describeIdempotency } from './testing/contract-idempotency.ts';
import { describeKeys } from './testing/contract-keys.ts';
import { describeKill } from './testing/contract-kill.ts';
import { describeLoad } from './testing/contract-load.ts';
import { describeQuota } from './testing/contract-quota.ts';
import { describeQuotaDays } from './testing/contract-quota-days.ts';
import { subjectAt } from './testing/subject.ts';

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
    describeQuota(subject);
    describeQuotaDays(subject);
    describeIdempotency(subject);
    describeLoad(subject);
    describeKill(subject);
    describeDatabase(() => database.another());
  });
}
