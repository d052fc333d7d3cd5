import type { Mail } from '../mailer.ts';
import { quotedName } from '../organizations/organization-name.ts';
import type { Role } from './people.ts';

export interface LinkMail {
  readonly to: string;
  readonly link: string;
  readonly publicUrl: string;
}

export function signInMail({ to, link, publicUrl }: LinkMail): Mail {
  const text = letter([
    `To sign in at ${publicUrl} with this address, open this link within 15 minutes. It works once:`,
    link,
    "If you didn't request this email, ignore it: nobody can sign in without the link.",
  ]);
  return { to, subject: `Sign in at ${new URL(publicUrl).host}`, text, link };
}

export interface PasswordMail extends LinkMail {
  /** Undoes the change. */
  readonly link: string;
  readonly isFirst: boolean;
  /** Client address; null: the service's own machine. */
  readonly origin: string | null;
}

export function passwordMail({ to, link, publicUrl, isFirst, origin }: PasswordMail): Mail {
  const text = letter([
    `${isFirst ? 'A password was set' : 'The password was changed'} for this address at ${publicUrl}, from ${origin === null ? 'the service itself' : `the client address ${origin}`}.`,
    'If this was you, you can ignore this email.',
    "If it wasn't you, open this link within 7 days. It removes the password and ends all sessions:",
    link,
    'Then sign in with a link by email; you can set a new password afterwards.',
  ]);
  const subject = `${isFirst ? 'Password set' : 'Password changed'} at ${new URL(publicUrl).host}`;
  return { to, subject, text, link };
}

/** `link` opens the sign-in page. */
export function passwordRemovedMail({ to, link, publicUrl }: LinkMail): Mail {
  const text = letter([
    `The operator of ${publicUrl} removed the password for this address and ended all its sessions.`,
    'To sign in, request a link by email; you can set a new password afterwards:',
    link,
    "If you didn't request this, contact the operator.",
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
    "If you don't know the sender, ignore this email: nothing happens unless you accept, and the invitation expires by itself.",
  ]);
  return { to, subject: `Invitation at ${new URL(publicUrl).host}`, text, link };
}

function letter(paragraphs: readonly string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}
