import type { PeopleLimits } from '../people-settings.ts';
import type { AttemptLimit } from './attempt-limits.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = 15 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** What of people is limited, and how; rows of the same kind count together. */
export interface NamedLimits {
  readonly mailsPerAddress: AttemptLimit;
  readonly mailsPerOrigin: AttemptLimit;
  readonly passwordsPerAddress: AttemptLimit;
  readonly passwordsPerOrigin: AttemptLimit;
  readonly invitationsPerOrganization: AttemptLimit;
  readonly registrationsPerOrigin: AttemptLimit;
}

export function namedLimits(limits: PeopleLimits): NamedLimits {
  return {
    mailsPerAddress: { kind: 'mail:address', max: limits.mailsPerAddress, windowMs: HOUR_MS },
    mailsPerOrigin: { kind: 'mail:origin', max: limits.mailsPerOrigin, windowMs: HOUR_MS },
    passwordsPerAddress: { kind: 'password:address', max: limits.passwordsPerAddress, windowMs: QUARTER_MS },
    passwordsPerOrigin: { kind: 'password:origin', max: limits.passwordsPerOrigin, windowMs: QUARTER_MS },
    invitationsPerOrganization: { kind: 'invitation:organization', max: limits.invitations, windowMs: DAY_MS },
    registrationsPerOrigin: { kind: 'registration:origin', max: limits.registrationsPerOrigin, windowMs: HOUR_MS },
  };
}
