import { expect, test } from 'vitest';
import { type Mail, Outbox } from './mailer.ts';

const MAIL: Mail = { to: 'ada@example.com', subject: 'x', text: 'x' };

function outbox(send: () => Promise<void>) {
  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  return { outbox: new Outbox({ send, close: () => {} }, log), warnings };
}

test('a mail server that takes nothing makes no queue without end: from 200 on nobody is promised a mail', async () => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const { outbox: full } = outbox(() => promise);
  for (let count = 0; count < 200; count += 1) {
    full.assertRoom();
    full.send(MAIL);
  }
  expect(() => full.assertRoom()).toThrow(/too many mails/);
  release();
  await full.idle();
  expect(() => full.assertRoom()).not.toThrow();
});
