import type { Command } from 'commander';
import { PLAN_NAMES } from '../../api/accounts/plans/plans.ts';
import { SUBSCRIPTION_STATUSES } from '../../api/accounts/plans/terms.ts';
import { RANGE_DAYS_MAX } from '../../api/accounts/request-counts/day-range.ts';
import { choiceOption } from '../cli/choices.ts';
import type { RunAction } from '../cli/command-context.ts';
import {
  dayStartValue,
  durationValue,
  emailValue,
  expiryValue,
  featuresValue,
  historyMonthsValue,
  nameValue,
  numberValue,
  planValue,
  quotaValue,
  statusValue,
  textValue,
  yesNoValue,
} from '../cli/option-values.ts';
import { ACTIONS } from '../command-actions.ts';
import type { AuditOptions } from '../commands/accounts/audit.ts';
import type { BackupOptions } from '../commands/accounts/backup.ts';
import type { RevokeKeyOptions, RotateKeyOptions } from '../commands/accounts/keys.ts';
import type { UsageOptions } from '../commands/accounts/usage.ts';
import { addConnectionCommands } from './connection-commands.ts';
import { addList, addMemberCommands } from './member-commands.ts';

const DAY_MS = 86_400_000;

/** Adds the commands for organizations, their plans, their keys and who belongs to them. */
export function addAccountCommands(program: Command, run: RunAction): void {
  addOrganizationCommands(program, run);
  addKeyCommands(program, run);
  addMemberCommands(program, run);
  addConnectionCommands(program, run);
  addDatabaseCommand(program, run);
}

function addOrganizationCommands(program: Command, run: RunAction): void {
  const orgs = program.command('orgs').description('Look after organizations and their plans');
  const create = orgs
    .command('create')
    .description('Add an organization')
    .requiredOption('--name <name>', 'what people call it', nameValue)
    .option('--email <address>', 'where it is told what concerns it, such as a revoked webhook', emailValue)
    .addOption(choiceOption('--plan <plan>', 'the plan', PLAN_NAMES, planValue).default('community'));
  addTerms(create)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats orgs create --name Acme --plan builder')
    .action(run(ACTIONS.createOrganization));
  orgs
    .command('list')
    .description('List the organizations with what their plans grant now')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats orgs list')
    .action(run(ACTIONS.listOrganizations));
  orgs
    .command('set-email')
    .description('Change where an organization is told what concerns it')
    .requiredOption('--org <id>', 'the organization', textValue)
    .requiredOption('--email <address>', 'an address; or none', emailValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats orgs set-email --org ID --email owner@example.com')
    .action(run(ACTIONS.setEmail));
  const change = orgs
    .command('set-plan')
    .description("Change an organization's plan or contract; what is not named stays as it is")
    .requiredOption('--org <id>', 'the organization', textValue)
    .addOption(choiceOption('--plan <plan>', 'the plan (default: stays)', PLAN_NAMES, planValue));
  addTerms(change)
    .option('--reset', "drop all terms that are not named: they are the plan's own then")
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  modelstats orgs set-plan --org ID --plan builder\n  modelstats orgs set-plan --org ID --plan commercial --daily-quota 50000 --history-months 36 --period-end 2027-07-01',
    )
    .action(run(ACTIONS.setPlan));
  addList(orgs, run, { name: 'members', command: 'orgs members' });
  orgs
    .command('audit')
    .description('Show what was done to an organization and its keys, or to all and the store, by whom, newest first')
    .argument('[org]', 'id of the organization, org_…')
    .option('--limit <n>', 'so many at most', numberValue(1, 10_000), 100)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExamples:\n  modelstats orgs audit ID\n  modelstats orgs audit --limit 20')
    .action((org: string | undefined, options: Omit<AuditOptions, 'org'>) =>
      run(ACTIONS.showAudit)({ ...options, org }),
    );
  orgs
    .command('usage')
    .description('Show what an organization used: units and requests by day, key and route')
    .argument('<org>', 'id of the organization, org_…')
    .option('--days <n>', 'so many UTC days, of which today is the last', numberValue(1, RANGE_DAYS_MAX), 30)
    .option('--csv', 'a line per day, key, route and kind of credential')
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  modelstats orgs usage ID\n  modelstats orgs usage ID --days 90 --csv > usage.csv',
    )
    .action((org: string, options: Omit<UsageOptions, 'org'>) => run(ACTIONS.showUsage)({ ...options, org }));
}

/** Adds the options for what a contract changes of a plan, and for the state of the subscription. */
function addTerms(command: Command): Command {
  return command
    .addOption(choiceOption('--status <status>', 'of the subscription', SUBSCRIPTION_STATUSES, statusValue))
    .option(
      '--period-end <YYYY-MM-DD>',
      'start of the day on which the period is over (default: monthly)',
      dayStartValue,
    )
    .option('--grace-until <YYYY-MM-DD>', 'start of the day on which a grace or a late payment is over', dayStartValue)
    .option('--daily-quota <n|unlimited>', 'data responses per UTC day', quotaValue)
    .option('--burst <n>', 'requests per minute', numberValue(1, 1_000_000))
    .option('--history-months <n|full>', 'how far history reaches back', historyMonthsValue)
    .option('--features <list>', 'history,snapshots,incremental,webhooks; or none', featuresValue)
    .option('--snapshots <n>', 'newest snapshots to see', numberValue(0, 100_000))
    .option('--month-ends <yes|no>', 'whether the last snapshot of each month is seen besides', yesNoValue)
    .option('--attribution-required <yes|no>', 'whether public display needs attribution', yesNoValue)
    .option('--redistribution-allowed <yes|no>', 'whether the data may be passed on', yesNoValue);
}

function addKeyCommands(program: Command, run: RunAction): void {
  const keys = program.command('keys').description('Look after API keys');
  keys
    .command('create')
    .description('Issue a key; it is shown this once')
    .requiredOption('--org <id>', 'the organization', textValue)
    .option('--name <name>', 'what it is for', nameValue, 'default')
    .option('--expires <when>', 'start of a day YYYY-MM-DD, or from now: 24h, 90d (default: never)', expiryValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats keys create --org ID --name production --expires 90d')
    .action(run(ACTIONS.createKey));
  keys
    .command('rotate')
    .description('Issue a key of the same name, shown this once; the old one ends after the overlap')
    .argument('<id>', 'id of the old key, key_…')
    .option(
      '--overlap <time>',
      'how long the old key goes on working: 30m, 24h, 7d; 0 for not at all',
      durationValue,
      DAY_MS,
    )
    .option('--expires <when>', 'when the new key ends, as for create (default: never)', expiryValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats keys rotate key_01ARZ3NDEKTSV4RRFFQ69G5FAV --overlap 24h')
    .action((id: string, options: Omit<RotateKeyOptions, 'id'>) => run(ACTIONS.rotateKey)({ ...options, id }));
  keys
    .command('list')
    .description('List the keys of an organization, or all, without the keys themselves')
    .option('--org <id>', 'the organization', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats keys list --org ID')
    .action(run(ACTIONS.listKeys));
  keys
    .command('revoke')
    .description('Revoke a key for good; running servers refuse it within 5 seconds')
    .argument('<id>', 'id of the key, key_…')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats keys revoke key_01ARZ3NDEKTSV4RRFFQ69G5FAV')
    .action((id: string, options: Omit<RevokeKeyOptions, 'id'>) => run(ACTIONS.revokeKey)({ ...options, id }));
}

function addDatabaseCommand(program: Command, run: RunAction): void {
  program
    .command('database')
    .description('Look after the control database')
    .command('backup')
    .description('Copy a SQLite control database into a file while it is in use; of PostgreSQL use pg_dump')
    .argument('<file>', 'a new file')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats database backup accounts-2026-11-20.db')
    .action((file: string, options: Omit<BackupOptions, 'file'>) => run(ACTIONS.backupDatabase)({ ...options, file }));
}
