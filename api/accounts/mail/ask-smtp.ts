import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';

/** Connects to a mail server and signs in, and sends nothing. Rejects with `unavailable`. */
export async function askSmtp(smtp: string, { timeoutMs }: { readonly timeoutMs: number }): Promise<void> {
  const { createTransport } = await import('nodemailer'); // Few commands send mail.
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const transport = createTransport({ url: smtp, ...timeouts });
  try {
    await transport.verify();
  } catch (cause) {
    const message = `the mail server ${shownAddress(smtp)} does not take mail: ${messageFromError(cause)}`;
    throw new AppError('unavailable', message, { cause });
  } finally {
    transport.close();
  }
}
