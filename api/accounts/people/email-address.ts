import { z } from 'zod';
import { AppError } from '../../../runtime/errors.ts';

/** What mail itself allows (RFC 5321): longer ones are no addresses. */
const LENGTH_MAX = 254;
/** The part before the @, which zod doesn't bound. */
const LOCAL_LENGTH_MAX = 64;
const Email = z.email();

/** An address of mail as it is kept and compared: without surrounding white space, in lower case. Undefined where it can be none. */
export function normalisedEmail(text: string): string | undefined {
  if (text.length > 2 * LENGTH_MAX) return undefined; // Nothing long is looked at.
  const email = text.trim().toLowerCase();
  const isBounded = email.length <= LENGTH_MAX && email.indexOf('@') <= LOCAL_LENGTH_MAX;
  return isBounded && Email.safeParse(email).success ? email : undefined;
}

/** The same; throws `usage` where it can be none. */
export function emailFrom(text: string): string {
  const email = normalisedEmail(text);
  if (email !== undefined) return email;
  throw new AppError('usage', 'that is no address of mail; it must be like ada@example.com');
}
