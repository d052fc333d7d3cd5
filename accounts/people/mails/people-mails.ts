import type { Mail } from '../../mail/mailer.ts';
import type { Role } from '../people.ts';

/** The mails that people get: plain text, short, and with what to do where it wasn't asked for. */

export interface LinkMail {
  readonly to: string;
  readonly link: string;
  readonly publicUrl: string;
}

export function signInMail({ to, link, publicUrl }: LinkMail): Mail {
  const text = [
    `Somebody, hopefully you, wants to sign in at ${publicUrl} with this address.`,
    '',
    'To sign in, open this link within 15 minutes. It works once:',
    '',
    link,
    '',
    "If it wasn't you, ignore this mail: nobody gets in without the link, and you will hear no more of it.",
    '',
  ];
  return { to, subject: `Sign in at ${new URL(publicUrl).host}`, text: text.join('\n'), link };
}

export interface InvitationMail extends LinkMail {
  readonly organizationName: string;
  readonly role: Role;
  readonly invitedBy: string;
}

export function invitationMail({ to, link, publicUrl, organizationName, role, invitedBy }: InvitationMail): Mail {
  const text = [
    `${invitedBy} invites you to “${organizationName}” at ${publicUrl}, as ${role === 'owner' ? 'an owner' : 'a member'}.`,
    '',
    'To accept, open this link within 7 days and sign in with this address:',
    '',
    link,
    '',
    "If you don't know them, ignore this mail: nothing happens without you, and the invitation ends by itself.",
    '',
  ];
  return { to, subject: `Invitation at ${new URL(publicUrl).host}`, text: text.join('\n'), link };
}
