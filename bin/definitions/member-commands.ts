import type { Command } from 'commander';
import { ROLES } from '../../api/accounts/people/people.ts';
import { choiceOption } from '../cli/choices.ts';
import type { RunAction } from '../cli/command-context.ts';
import { ACTIONS } from '../command-actions.ts';
import type { AddMemberOptions, ListMembersOptions, MemberOptions } from '../commands/accounts/members.ts';

/** Adds the commands for who belongs to an organization. */
export function addMemberCommands(program: Command, run: RunAction): void {
  const members = program.command('members').description('Look after who belongs to an organization');
  const changing = (name: string, description: string, example: string) =>
    members
      .command(name)
      .description(description)
      .argument('<org>', 'id of the organization, org_…')
      .argument('<email>', 'address of mail')
      .option('--json', 'one JSON object on stdout')
      .addHelpText('after', `\nExample:\n  modelstats members ${example}`);
  const withRole = (command: Command, role: string) =>
    command.addOption(choiceOption('--role <role>', 'what they may do', ROLES).default(role));
  withRole(
    changing('add', 'Make somebody a member, or change their role', 'add ID ada@example.com --role owner'),
    'member',
  ).action((org: string, email: string, options: Omit<AddMemberOptions, 'org' | 'email'>) =>
    run(ACTIONS.addMember)({ ...options, org, email }),
  );
  addList(members, run, { name: 'list', command: 'members list' });
  changing('remove', 'Remove a member; the last owner stays', 'remove ID bob@example.com').action(
    (org: string, email: string, options: Omit<MemberOptions, 'org' | 'email'>) =>
      run(ACTIONS.removeMember)({ ...options, org, email }),
  );
  withRole(changing('invite', 'Invite somebody by mail', 'invite ID bob@example.com'), 'member').action(
    (org: string, email: string, options: Omit<AddMemberOptions, 'org' | 'email'>) =>
      run(ACTIONS.inviteMember)({ ...options, org, email }),
  );
  changing('revoke', 'Take back the open invitation of an address', 'revoke ID bob@example.com').action(
    (org: string, email: string, options: Omit<MemberOptions, 'org' | 'email'>) =>
      run(ACTIONS.revokeInvitation)({ ...options, org, email }),
  );
  members
    .command('remove-password')
    .description('Take the password of a person away, who has forgotten it, and end their sessions')
    .argument('<email>', 'address of mail')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats members remove-password ada@example.com')
    .action((email: string, options: { readonly json?: boolean }) =>
      run(ACTIONS.removePassword)({ ...options, email }),
    );
}

/** Adds the command that lists an organization's members, which has two names. */
export function addList(
  parent: Command,
  run: RunAction,
  { name, command }: { readonly name: string; readonly command: string },
): void {
  parent
    .command(name)
    .description('List the members of an organization and its open invitations')
    .argument('<org>', 'id of the organization, org_…')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', `\nExample:\n  modelstats ${command} ID`)
    .action((org: string, options: Omit<ListMembersOptions, 'org'>) => run(ACTIONS.listMembers)({ ...options, org }));
}
