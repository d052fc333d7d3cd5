import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '../../../runtime/errors.ts';
import { openWebhookSubject, type WebhookSubject } from '../../../test/support/webhooks/webhook-subject.ts';
import type { Mail } from '../../accounts/mailer.ts';
import { type Notice, sendNotices } from './suspension.ts';

let subject: WebhookSubject;
let organizationId: string;
let endpointId: string;
beforeEach(async () => {
  subject = await openWebhookSubject('sqlite::memory:');
  organizationId = await subject.organization();
  endpointId = await subject.active(organizationId);
});
afterEach(() => subject.close());

async function mark(notice: Notice, email: string | null) {
  const { kysely } = subject.database;
  await kysely.updateTable('organizations').set({ email }).where('id', '=', organizationId).execute();
  await kysely.updateTable('webhook_endpoints').set({ notice }).where('id', '=', endpointId).execute();
}

/** Tells once; what was mailed and logged. */
async function tell(send: (mail: Mail) => Promise<void> = async () => undefined) {
  const [mails, lines]: [Mail[], unknown[]] = [[], []];
  const received = sendNotices({
    database: subject.database.kysely,
    mailer: {
      send: async (mail) => {
        await send(mail);
        mails.push(mail);
      },
      close: () => undefined,
    },
    log: { warn: (fields: unknown) => void lines.push(fields) },
  });
  return { received: await received.catch((error: unknown) => error), mails, lines };
}

test.each(['revoked', 'suspended'] as const)(
  'the owner of a %s endpoint is told once, by mail and in the log',
  async (notice) => {
    await mark(notice, 'owner@example.com');
    const first = await tell();
    expect(first.received).toBe(1);
    expect(first.mails).toMatchObject([{ to: 'owner@example.com', subject: `Your webhook endpoint was ${notice}` }]);
    expect(first.mails[0]?.text).toContain(endpointId);
    expect(first.lines).toMatchObject([{ endpoint_id: endpointId, organization_id: organizationId, notice }]);
    expect(await tell()).toEqual({ received: 0, mails: [], lines: [] });
  },
);

test('an organization without an address is told in the log', async () => {
  await mark('revoked', null);
  expect(await tell()).toMatchObject({ received: 1, mails: [], lines: [{ endpoint_id: endpointId }] });
});

test('a mail that could not be sent is tried again', async () => {
  await mark('revoked', 'owner@example.com');
  const down = async () => {
    throw new AppError('unavailable', 'the server is down');
  };
  expect(await tell(down)).toMatchObject({ received: { code: 'unavailable' }, mails: [] });
  expect(await tell()).toMatchObject({ received: 1, mails: [{ to: 'owner@example.com' }] });
});
