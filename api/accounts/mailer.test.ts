import { readdir, readFile, stat } from 'node:fs/promises';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnFreePort } from '../../test/support/processes/servers.ts';
import { listenOnLoopback } from '../../test/support/server/listen-on-loopback.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { isRefusedAddress, type Mail, type MailerOptions, Outbox, openMailer } from './mailer.ts';

const MAIL: Mail = { to: 'owner@example.com', subject: 'Grüße', text: 'Zeile eins\nZeile zwei\n' };

const at = useFolder({ perTest: true });

async function mailer(changes: Partial<MailerOptions> = {}) {
  const logged: unknown[] = [];
  const log = { info: (fields: unknown) => void logged.push(fields) };
  const base = { smtp: undefined, from: 'modelstats <no-reply@example.com>', folder: at('mail') };
  const opened = await openMailer({ ...base, timeoutMs: 2_000, log, ...changes });
  onTestFinished(() => opened.close());
  return { send: (mail = MAIL) => opened.send(mail), logged };
}

/** A real SMTP server, what it was given, and its address. */
async function startServer(
  onData: (text: string) => Error | undefined = () => undefined,
  onRecipient: (address: string) => Error | undefined = () => undefined,
) {
  const taken: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, callback) => callback(onRecipient(address)),
    onData(stream, _session, callback) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const refusal = onData(text);
        if (refusal === undefined) taken.push(text);
        callback(refusal);
      });
    },
  });
  const port = await listenOnFreePort(server.server);
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { taken, smtp: `smtp://127.0.0.1:${port}` };
}

test('without a server a mail is a file that only this user reads, and a line in the log', async () => {
  const { send, logged } = await mailer();
  await send();
  const files = await readdir(at('mail'));
  expect(files).toEqual([expect.stringMatching(/^[0-9A-Z]{26}\.eml$/)]);
  const file = at('mail', files[0] ?? '');
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(/^From: modelstats <no-reply@example\.com>$/m);
  expect(text).toMatch(/^To: owner@example\.com$/m);
  expect(logged).toEqual([{ to: MAIL.to, subject: MAIL.subject, file }]);
});

test('a link is told in the log where there is no server, and where there is one in the mail alone', async () => {
  const link = 'https://stats.example.com/console/sign-in/link?token=x';
  const without = await mailer();
  await without.send({ ...MAIL, link });
  expect(without.logged).toMatchObject([{ link }]);
  const { taken, smtp } = await startServer();
  const { send, logged } = await mailer({ smtp });
  await send({ ...MAIL, link });
  expect(JSON.stringify(logged)).not.toContain('token');
  expect(taken).toEqual([expect.stringContaining('To: owner@example.com')]);
  expect(await readdir(at('mail'))).toHaveLength(1); // The first one's.
});

test('a server that refuses, and one that is not there, reject as unavailable', async () => {
  const { smtp } = await startServer(() => new Error('not today'));
  await expect((await mailer({ smtp })).send()).rejects.toMatchObject({ code: 'unavailable' });
  const gone = await mailer({ smtp: 'smtp://127.0.0.1:1' });
  await expect(gone.send()).rejects.toMatchObject({ code: 'unavailable' });
});

test('an address that a server refuses for good is told from one that it refuses for now, and from a refused mail', async () => {
  const refusal = (responseCode: number) => Object.assign(new Error('not this one'), { responseCode });
  const isRefused = async (...of: Parameters<typeof startServer>) => {
    const { smtp } = await startServer(...of);
    return (await mailer({ smtp })).send().then(() => 'sent', isRefusedAddress);
  };
  expect(await isRefused(undefined, () => refusal(550))).toBe(true);
  expect(await isRefused(undefined, () => refusal(450))).toBe(false);
  expect(await isRefused(() => refusal(554))).toBe(false);
  const gone = await mailer({ smtp: 'smtp://127.0.0.1:1' });
  expect(await gone.send().then(() => 'sent', isRefusedAddress)).toBe(false);
});

test('headers go with the mail, by a server and into a file', async () => {
  const headers = { 'List-Unsubscribe': '<https://stats.example.com/stop?token=x>' };
  const { taken, smtp } = await startServer();
  await (await mailer({ smtp })).send({ ...MAIL, headers });
  expect(taken[0]).toContain('List-Unsubscribe: <https://stats.example.com/stop?token=x>');
  await (await mailer()).send({ ...MAIL, headers });
  const [file = ''] = await readdir(at('mail'));
  expect(await readFile(at('mail', file), 'utf8')).toContain('List-Unsubscribe: <https://');
});

test('a server that answers a letter at a time is given up, in the time of a whole mail or when it is told so', async () => {
  // Greets, and answers whatever it is sent with one letter after the other, never with a line.
  const { port } = await listenOnLoopback((socket) => {
    socket.write('220 at your service\r\n');
    socket.once('data', () => {
      const letters = setInterval(() => socket.write('2'), 5);
      socket.on('close', () => clearInterval(letters));
    });
  });
  const smtp = `smtp://127.0.0.1:${port}`;
  const slow = await mailer({ smtp, timeoutMs: 50 });
  await expect(slow.send()).rejects.toMatchObject({ code: 'unavailable' });
  const stopped = await mailer({ smtp, timeoutMs: 60_000 });
  const signal = AbortSignal.timeout(50);
  await expect(stopped.send({ ...MAIL, signal })).rejects.toMatchObject({ code: 'unavailable' });
});

test('a mail server that takes nothing makes no queue without end: from 200 on nobody is promised a mail', async () => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const full = new Outbox({ send: () => promise, close: () => {} }, { warn: () => {} });
  for (let count = 0; count < 200; count += 1) {
    full.assertRoom();
    full.send(MAIL);
  }
  expect(() => full.assertRoom()).toThrow(/too many emails/);
  release();
  await full.idle();
  expect(() => full.assertRoom()).not.toThrow();
});
