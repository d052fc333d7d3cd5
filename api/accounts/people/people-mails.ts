import type { Mail } from '../mailer.ts';
import { quotedName } from '../organizations/organization-name.ts';
import type { Role } from './people.ts';

/** The mails that people get: plain text, short, and with what to do where it wasn't asked for. */

export interface LinkMail {
  readonly to: string;
  readonly link: string;
  readonly publicUrl: string;
}

export function signInMail({ to, link, publicUrl }: LinkMail): Mail {
  const text = letter([
    `Somebody, hopefully you, wants to sign in at ${publicUrl} with this address.`,
    'To sign in, open this link within 15 minutes. It works once:',
    link,
    "If it wasn't you, ignore this mail: nobody gets in without the link, and you will hear no more of it.",
  ]);
  return { to, subject: `Sign in at ${new URL(publicUrl).host}`, text, link };
}

export interface PasswordMail extends LinkMail {
  /** Undoes it. */
  readonly link: string;
  readonly isFirst: boolean;
  /** The client address that it was done from; null: from the machine of the service. */
  readonly origin: string | null;
}

export function passwordMail({ to, link, publicUrl, isFirst, origin }: PasswordMail): Mail {
  const text = letter([
    `${isFirst ? 'A password was set' : 'The password was changed'} for this address at ${publicUrl}, from the client address ${origin ?? 'of the service'}.`,
    'If that was you, there is nothing to do.',
    "If it wasn't you, open this link within 7 days. It takes the password away and signs everybody out:",
    link,
    'After that, sign in with a link by mail; you can set another password then.',
  ]);
  const subject = `${isFirst ? 'Password set' : 'Password changed'} at ${new URL(publicUrl).host}`;
  return { to, subject, text, link };
}

/** `link` leads to the page to sign in at. */
export function passwordRemovedMail({ to, link, publicUrl }: LinkMail): Mail {
  const text = letter([
    `The operator of ${publicUrl} took the password for this address away, and ended all its sessions.`,
    'To sign in, ask for a link by mail; you can set another password then:',
    link,
    "If you didn't ask for this, ask the operator.",
  ]);
  return { to, subject: `Password removed at ${new URL(publicUrl).host}`, text, link };
}

export interface InvitationMail extends LinkMail {
  readonly organizationName: string;
  readonly role: Role;
  readonly invitedBy: string;
}

export function invitationMail({ to, link, publicUrl, organizationName, role, invitedBy }: InvitationMail): Mail {
  const text = letter([
    `${invitedBy} invites you to “${quotedName(organizationName)}” at ${publicUrl}, as ${role === 'owner' ? 'an owner' : 'a member'}.`,
    'To accept, open this link within 7 days and sign in with this address:',
    link,
    "If you don't know them, ignore this mail: nothing happens without you, and the invitation ends by itself.",
  ]);
  return { to, subject: `Invitation at ${new URL(publicUrl).host}`, text, link };
}

function letter(paragraphs: readonly string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}
