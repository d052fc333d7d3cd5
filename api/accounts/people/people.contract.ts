import { describe } from 'vitest';
import { describeAttacks } from '../../../test/support/people/contract-attacks.ts';
import { describeConnections } from '../../../test/support/people/contract-connections.ts';
import { describeInvitations } from '../../../test/support/people/contract-invitations.ts';
import { describeLinks } from '../../../test/support/people/contract-links.ts';
import { describeMembers } from '../../../test/support/people/contract-members.ts';
import { describePasswords } from '../../../test/support/people/contract-passwords.ts';
import { describeSessions } from '../../../test/support/people/contract-sessions.ts';
import { usePeople } from '../../../test/support/people/use-people.ts';

/** What people do on every control database; `another` makes an empty one and gives its address. */
export function describePeople(name: string, another: () => Promise<string>): void {
  describe(`people on ${name}`, () => {
    const subject = usePeople(another);
    describeLinks(subject);
    describeSessions(subject);
    describePasswords(subject);
    describeAttacks(subject);
    describeMembers(subject);
    describeInvitations(subject);
    describeConnections(subject);
  });
}
