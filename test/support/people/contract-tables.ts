import { getMigrations } from 'better-auth/db/migration';
import { describe, expect, test } from 'vitest';
import { createAuth } from '../../../api/accounts/people/sign-in/auth.ts';
import { CONNECTIONS, type PeopleSubject } from './use-people.ts';

export function describeTables(subject: PeopleSubject): void {
  describe('the tables of better-auth', () => {
    const settings = {
      publicUrl: 'https://stats.example.com',
      secret: 'x'.repeat(32),
      sessionMs: 1,
      sessionRefreshMs: 1,
      connections: CONNECTIONS,
    };
    const optionsOf = () =>
      createAuth(settings, {
        database: subject.database,
        log: { warn: () => {} },
        hooks: { onLink: () => {}, maySignUp: async () => true, firstOrganization: async () => null },
      }).options;

    test('are as it needs them: it would make, add and change nothing', async () => {
      const doubts: unknown[] = [];
      const logger = {
        level: 'warn',
        log: (_: unknown, message: string) => void (isListAsText(message) || doubts.push(message)),
      } as const;
      const { toBeCreated, toBeAdded, unsafeChanges } = await getMigrations({ ...optionsOf(), logger });
      expect({ toBeCreated, toBeAdded, unsafeChanges, doubts }).toEqual({
        toBeCreated: [],
        toBeAdded: [],
        unsafeChanges: [],
        doubts: [],
      });
    });
  });
}

/** better-auth's own migration makes text of lists on SQLite, and doubts it afterwards. */
function isListAsText(message: string): boolean {
  return message.endsWith('has a different type in the database. Expected string[] but got TEXT.');
}
