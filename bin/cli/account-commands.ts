import type { Command } from 'commander';
import { createKey, listKeys, type RevokeKeyOptions, revokeKey } from './commands/keys.ts';
import { createOrganization, listOrganizations, setPlan } from './commands/orgs.ts';
import {
  dayStartValue,
  featuresValue,
  historyMonthsValue,
  nameValue,
  numberValue,
  planValue,
  quotaValue,
  statusValue,
  textValue,
  yesNoValue,
} from './option-values.ts';
import type { RunAction } from './run-action.ts';

/** What looks after organizations, their plans and their keys. */
export function addAccountCommands(program: Command, run: RunAction): void {
  addOrganizationCommands(program, run);
  addKeyCommands(program, run);
}

function addOrganizationCommands(program: Command, run: RunAction): void {
  const orgs = program.command('orgs').description('Look after organizations and their plans');
  const create = orgs
    .command('create')
    .description('Add an organization')
    .requiredOption('--name <name>', 'what people call it', nameValue)
    .option('--plan <plan>', 'community, builder or commercial', planValue, 'community');
  addTerms(create)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats orgs create --name Acme --plan builder')
    .action(run(createOrganization));
  orgs
    .command('list')
    .description('List the organizations with what their plans grant now')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats orgs list')
    .action(run(listOrganizations));
  const change = orgs
    .command('set-plan')
    .description("Give an organization a plan and a contract; what is not named is the plan's own")
    .requiredOption('--org <id>', 'the organization', textValue)
    .requiredOption('--plan <plan>', 'community, builder or commercial', planValue);
  addTerms(change)
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  modelstats orgs set-plan --org ID --plan builder\n  modelstats orgs set-plan --org ID --plan commercial --daily-quota 50000 --history-months 36 --period-end 2027-07-01',
    )
    .action(run(setPlan));
}

/** What a contract can say beside the plan, and how the subscription stands. */
function addTerms(command: Command): Command {
  return command
    .option('--status <status>', 'active, past_due, grace or canceled', statusValue)
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
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats keys create --org ID --name production')
    .action(run(createKey));
  keys
    .command('list')
    .description('List the keys of an organization, or all, without the keys themselves')
    .option('--org <id>', 'the organization', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats keys list --org ID')
    .action(run(listKeys));
  keys
    .command('revoke')
    .description('Revoke a key for good; running servers refuse it within 5 seconds')
    .argument('<id>', 'id of the key, key_…')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats keys revoke key_01ARZ3NDEKTSV4RRFFQ69G5FAV')
    .action((id: string, options: Omit<RevokeKeyOptions, 'id'>) => run(revokeKey)({ ...options, id }));
}
