import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { listenOnFreePort } from '../processes/servers.ts';

const WAIT_MS_MAX = 10_000;

/** A mail server on loopback, which keeps what it is given. */
export async function openMailbox() {
  type Received = { readonly to: readonly string[]; readonly text: string };
  const [received, unread]: [Received[], Received[]] = [[], []];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, callback) {
      const take = (mail: string) => {
        const taken = { to: envelope.rcptTo.map(({ address }) => address), text: mail };
        received.push(taken);
        unread.push(taken);
        callback();
        server.emit('mail');
      };
      void text(stream).then(take, callback); // It fails where the sender is killed in the middle.
    },
  });
  const port = await listenOnFreePort(server.server);
  return {
    /** As `MODELSTATS_SMTP` has it. */
    smtp: `smtp://127.0.0.1:${port}`,
    /** Every mail so far. */
    received: received as readonly Received[],
    /** The link in the next mail to an address that was not read yet; rejects where none comes in ten seconds. */
    async readLink(address: string) {
      const signal = AbortSignal.timeout(WAIT_MS_MAX);
      for (;;) {
        const index = unread.findIndex(({ to }) => to.includes(address));
        const [mail] = index < 0 ? [] : unread.splice(index, 1);
        if (mail !== undefined) return linkIn(mail.text);
        await once(server, 'mail', { signal });
      }
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The link of a mail whose text is quoted-printable or plain. */
function linkIn(mail: string): string {
  const plain = mail.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  const [link] = /https?:\/\/\S+[?&]token=\S+/.exec(plain) ?? [];
  if (link === undefined) throw new Error(`a mail without a link: ${mail}`);
  return link;
}
