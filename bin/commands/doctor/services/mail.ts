import { askSmtp } from '../../../../api/accounts/mail/mailer.ts';
import { messageFromError } from '../../../../runtime/errors.ts';
import { shownAddress } from '../../../../runtime/shown-address.ts';
import { type Finding, fail, ok, type Setup } from '../finding.ts';

export async function checkMail({ config }: Setup): Promise<Finding | undefined> {
  if (config.SMTP === undefined) return undefined;
  try {
    await askSmtp(config.SMTP, { timeoutMs: config.MAIL_TIMEOUT_MS });
    return ok(`${shownAddress(config.SMTP)} answers; nothing was sent`);
  } catch (error) {
    return fail(
      messageFromError(error),
      'nobody can sign in by a link, or is told of a revoked webhook, until it does',
    );
  }
}
