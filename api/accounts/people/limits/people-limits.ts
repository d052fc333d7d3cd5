import { LINK_PACE_MS, type PeopleLimits } from '../people-settings.ts';
import type { AttemptLimit } from './attempt-limits.ts';
import { limitedOrigin } from './limited-origin.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = 15 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Attempts at one person's password from everywhere, for each that one place may make at once (NIST SP 800-63B, 3.2.2: 100 at most). */
const PLACES_GUESSING = 10;

/** How often an organization may have its invitation to one address sent in a day. */
const INVITATIONS_PER_PAIR = 3;

/**
 * What of people is limited, and how (decision 0100); rows of the same kind count together. What refuses somebody counts what their own
 * place did (an origin, or a pair of it and an address of mail); what counts an address of mail, whoever asks, slows mail down or asks for
 * more proof, and keeps nobody out.
 */
export interface NamedLimits {
  readonly mailsPerOrigin: AttemptLimit;
  readonly linksPerPair: AttemptLimit;
  readonly linksPerAddress: AttemptLimit;
  readonly confirmationsPerAddress: AttemptLimit;
  readonly passwordsPerOrigin: AttemptLimit;
  readonly passwordsPerPair: AttemptLimit;
  readonly passwordsPerAddress: AttemptLimit;
  readonly passwordChanges: AttemptLimit;
  readonly invitationsPerOrganization: AttemptLimit;
  readonly invitationsPerPair: AttemptLimit;
  readonly invitationsPerAddress: AttemptLimit;
  readonly registrationsPerOrigin: AttemptLimit;
}

export function namedLimits(limits: PeopleLimits): NamedLimits {
  const { mailsPerAddress, passwordsPerAddress } = limits;
  const linksPerAddress = { kind: 'mail:address', max: mailsPerAddress, windowMs: mailsPerAddress * LINK_PACE_MS };
  return {
    mailsPerOrigin: { kind: 'mail:origin', max: limits.mailsPerOrigin, windowMs: HOUR_MS },
    // One less than the address takes at once: one place alone never uses up what there is for others.
    linksPerPair: { kind: 'mail:pair', max: Math.max(1, mailsPerAddress - 1), windowMs: HOUR_MS },
    linksPerAddress,
    confirmationsPerAddress: { ...linksPerAddress, kind: 'confirmation:address' },
    passwordsPerOrigin: { kind: 'password:origin', max: limits.passwordsPerOrigin, windowMs: QUARTER_MS },
    passwordsPerPair: { kind: 'password:pair', max: passwordsPerAddress, windowMs: QUARTER_MS },
    passwordsPerAddress: { kind: 'password:guesses', max: PLACES_GUESSING * passwordsPerAddress, windowMs: DAY_MS },
    passwordChanges: { kind: 'password:change', max: passwordsPerAddress, windowMs: QUARTER_MS },
    invitationsPerOrganization: { kind: 'invitation:organization', max: limits.invitations, windowMs: DAY_MS },
    invitationsPerPair: { kind: 'invitation:pair', max: INVITATIONS_PER_PAIR, windowMs: DAY_MS },
    invitationsPerAddress: { kind: 'invitation:address', max: mailsPerAddress, windowMs: DAY_MS },
    registrationsPerOrigin: { kind: 'registration:origin', max: limits.registrationsPerOrigin, windowMs: HOUR_MS },
  };
}

/** An address of mail as one place asks for it. */
export function pairOf(email: string, clientAddress: string): string {
  return `${limitedOrigin(clientAddress)} ${email}`;
}
