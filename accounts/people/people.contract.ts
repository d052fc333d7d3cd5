import { describe } from 'vitest';
import { describeLinks } from '../../test/support/people/contract-links.ts';
import { usePeople } from '../../test/support/people/use-people.ts';

/** What people do on every control database; `another` makes an empty one and gives its address. */
export function describePeople(name: string, another: () => Promise<string>): void {
  describe(`people on ${name}`, () => {
    const subject = usePeople(another);
    describeLinks(subject);
  });
}
