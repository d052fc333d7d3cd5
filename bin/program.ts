import { Command } from 'commander';
import type { RunAction } from './cli/command-context.ts';
import { textValue, textValues } from './cli/option-values.ts';
import { ACTIONS } from './command-actions.ts';
import type { SourceCheckOptions } from './commands/night/source-check.ts';
import type { CatalogRedateOptions } from './commands/store/catalog-redate.ts';
import type { CorrectOptions } from './commands/store/correct.ts';
import type { RepublishOptions } from './commands/store/republish.ts';
import type { VerifyOptions } from './commands/store/verify.ts';
import { addAccountCommands } from './definitions/account-commands.ts';
import { addAliasCommands } from './definitions/alias-commands.ts';
import { addInitCommand } from './definitions/init-command.ts';
import { addIntegrationCommands } from './definitions/integration-commands.ts';
import { addMachineCommands } from './definitions/machine-commands.ts';
import { addMcpCommand } from './definitions/mcp-command.ts';
import { addNotifyCommand } from './definitions/notify-command.ts';
import { addSyncCommand } from './definitions/sync-command.ts';
import { addWebhookCommands } from './definitions/webhook-commands.ts';

/** Where the program writes its help and what is wrong with a command line; the process's own streams unless given. */
export interface ProgramOutput {
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** The command line: every command with its options and its help. */
export function buildProgram(version: string, run: RunAction, output?: ProgramOutput): Command {
  const program = new Command('modelstats')
    .configureOutput(output === undefined ? {} : { writeOut: output.writeOut, writeErr: output.writeError })
    .description('A trustworthy daily record of AI models, benchmarks, scores, rankings and prices.')
    .version(version)
    .option('--debug', 'show where an error came from')
    .showHelpAfterError('(see --help)')
    .exitOverride();
  addNightCommands(program, run);
  addServeCommand(program, run);
  addStoreCommands(program, run);
  addCorrectCommand(program, run);
  addHousekeeping(program, run);
  addAccountCommands(program, run);
  addIntegrationCommands(program, run);
  addWebhookCommands(program, run);
  addSyncCommand(program, run);
  addInitCommand(program, run);
  addMcpCommand(program, run);
  addAliasCommands(program, run);
  addNotifyCommand(program, run);
  addMachineCommands(program, run);
  return program;
}

/** Adds the command that answers requests. */
function addServeCommand(program: Command, run: RunAction): void {
  program
    .command('serve')
    .description('Answer the API from the store, following every new release, until a signal')
    .option('--with-schedule', 'run the nights in this process too, as `schedule` does')
    .option('--with-webhooks', 'send webhooks from this process too, as `dispatch` does')
    .option('--with-checks', 'check integrations from this process too, as `dispatch` does')
    .option('--with-console', 'serve the console too: pages where people sign in and see what they own')
    .option('--source <dir>', 'with --with-schedule: folder with the raw data (default: MODELSTATS_SOURCE)', textValue)
    .option('--json', 'one JSON object on stdout when listening; with --with-schedule one a night')
    .addHelpText('after', '\nExample:\n  MODELSTATS_PORT=8080 modelstats serve')
    .action(run(ACTIONS.serve, { stopsItself: true }));
}

/** Adds the commands that publish. */
function addNightCommands(program: Command, run: RunAction): void {
  program
    .command('nightly')
    .description('Publish a day: capture, check, diff, history, snapshot, prove, publish')
    .option('--source <dir>', 'folder with the raw data (default: MODELSTATS_SOURCE)', textValue)
    .option('--day <YYYY-MM-DD>', 'UTC day to capture (default: today)', textValue)
    .option('--all-days', 'every dated folder of the source that is not published yet, in order')
    .option('--dry-run', 'do everything but publish, and show what would be new, changed, gone and set aside')
    .option('--accept', 'pass what the guard holds, for this run')
    .option('--accept-suspect <id...>', 'let these suspect prices in (pricing:<entity_id>), for this run', textValues)
    .option('--json', 'one JSON object a day on stdout')
    .addHelpText('after', '\nExample:\n  modelstats nightly --source ./raw --day 2026-11-20')
    .addHelpText(
      'after',
      '\nExit codes: 0 published or nothing to do, 2 usage, 3 held, 4 source rejected, 1 anything else',
    )
    .action(run(ACTIONS.nightly));
  program
    .command('source')
    .description('Look after a source')
    .command('check')
    .description('Tell how a source reads: what is missing, wrong or ignored; without a store, and nothing is kept')
    .argument('<dir>', 'folder with the raw data, or with a source.json that lists what to fetch')
    .option('--day <YYYY-MM-DD>', 'the day to read (default: its newest dated folder, else today)', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats source check ./raw')
    .addHelpText('after', '\nExit codes: 0 it can be published, 2 usage, 4 it would be rejected, 1 anything else')
    .action((folder: string, options: Omit<SourceCheckOptions, 'folder'>) =>
      run(ACTIONS.checkSource)({ ...options, folder }),
    );
  program
    .command('fetch')
    .description('Fetch what a source lists into the folder of a day, from which its night can be run again for ever')
    .option('--source <dir>', 'folder with the source.json (default: MODELSTATS_SOURCE)', textValue)
    .option('--into <dir>', 'folder of the dated folders (default: where nights keep what they fetch)', textValue)
    .option('--day <YYYY-MM-DD>', 'UTC day whose folder it is (default: today)', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats fetch --source ./recipe --into ./raw')
    .addHelpText(
      'after',
      '\nExit codes: 0 whole, 2 usage or a missing variable, 4 a required file is missing, 1 anything else',
    )
    .action(run(ACTIONS.fetch));
  program
    .command('schedule')
    .description('Run a night every day at MODELSTATS_CRON (UTC), tried again until it is published')
    .option('--source <dir>', 'folder with the raw data (default: MODELSTATS_SOURCE)')
    .option('--check', 'only say whether the scheduler that writes MODELSTATS_HEALTH_FILE needs somebody')
    .option('--alive', 'with --check: only whether it is at work, for what restarts it where it is not')
    .option('--json', "each night's answer as one JSON object on stdout; with --check the scheduler's health")
    .addHelpText('after', "\nExample:\n  MODELSTATS_CRON='5 0 * * *' modelstats schedule --source ./raw")
    .addHelpText(
      'after',
      '\nStops on SIGTERM or SIGINT. Exit codes of --check: 0 all is well, 1 it is dead, a night is held or a day given up',
    )
    .action(run(ACTIONS.schedule, { stopsItself: true }));
  program
    .command('backfill')
    .description('Reconstruct history of the days before the first night')
    .command('pricing')
    .description('Put the prices of a table before the first captured pricing day; a second run replaces the first')
    .requiredOption(
      '--table <file>',
      'JSON Lines, JSON, CSV (each also .gz) or Parquet, a row per price and stretch of days',
    )
    .option('--from <YYYY-MM-DD>', 'first day to reconstruct; also where prices begin whose start is unknown')
    .option('--dry-run', 'do everything but publish')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats backfill pricing --table prices.csv --from 2025-01-01')
    .addHelpText(
      'after',
      '\nExit codes: 0 published or unchanged, 2 usage, 4 unreadable or nothing placed, 1 anything else',
    )
    .action(run(ACTIONS.backfill));
}

/** Adds the commands that look at published snapshots and repair them. */
function addStoreCommands(program: Command, run: RunAction): void {
  program
    .command('status')
    .description('Show what the store holds, how the last night went and which prices are held back')
    .option('--check', 'exit with 1 where there are no data, they are stale or the last night needs somebody')
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  modelstats status\n  modelstats status --check || echo "the data are stale, or a night needs somebody"',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 it could be read; with --check 1 where there are no data, they are stale or the last night needs somebody',
    )
    .action(run(ACTIONS.status));
  program
    .command('verify')
    .description('Prove a snapshot: every file by its hash, its content by replay from the one before')
    .argument('[snapshot]', 'day of the snapshot (default: the newest)')
    .option('--all', 'every snapshot')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats verify 2026-11-20\n\nExit code 1 where anything is wrong')
    .action((snapshot: string | undefined, options: VerifyOptions) =>
      run(ACTIONS.verify)({ ...options, ...(snapshot === undefined ? {} : { snapshot }) }),
    );
  program
    .command('republish')
    .description(
      "Put back a snapshot's lost or damaged files, from what is left or from a second store; or copy it into one",
    )
    .argument('<snapshot>', 'day of the snapshot')
    .option('--to <store>', 'a second store that is to have it, or to be repaired from this one')
    .option('--from <store>', 'a second store that may have what is lost or damaged here', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  modelstats republish 2026-11-20\n  modelstats republish 2026-11-20 --from s3://mirror/modelstats\n' +
        '  modelstats republish 2026-11-20 --to file:/mnt/mirror',
    )
    .addHelpText(
      'after',
      '\nExit code 1 where a file could not be put back, or the copy is not listed in the second store',
    )
    .action((snapshot: string, options: Omit<RepublishOptions, 'snapshot'>) =>
      run(ACTIONS.republish)({ ...options, snapshot }),
    );
}

/** Adds the command that helps to take a bad day back. */
function addCorrectCommand(program: Command, run: RunAction): void {
  program
    .command('correct')
    .description('Show what a published day changed, and lay out the records before it for the next night')
    .argument('<day>', 'the published day that is wrong')
    .option('--into <dir>', 'a new folder for the records before that day: a source', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats correct 2026-11-20 --into ./before')
    .action((day: string, options: Omit<CorrectOptions, 'day'>) => run(ACTIONS.correctDay)({ ...options, day }));
}

/** Adds the commands that clean up the store and repair its catalog. */
function addHousekeeping(program: Command, run: RunAction): void {
  program
    .command('prune')
    .description('Remove what retention no longer keeps, and what unfinished nights left behind')
    .option('--dry-run', 'list what would go, and why; change nothing')
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExample:\n  modelstats prune --dry-run\n\nExit code 1 where the catalog lacks what was published, or a backfill is suspicious',
    )
    .action(run(ACTIONS.prune));
  program
    .command('mirror')
    .description('Make a second store equal to this one: copy what it lacks, remove what prune removed here')
    .requiredOption('--to <store>', 'the second store; empty, or a mirror of this one', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExample:\n  modelstats mirror --to s3://mirror/modelstats\n\nRun it after every night; it goes on after a kill',
    )
    .action(run(ACTIONS.mirror));
  const catalog = program.command('catalog').description('Look after catalog.json');
  catalog
    .command('rebuild')
    .description('Make a lost, damaged or older catalog.json anew from the releases')
    .option('--force', 'even though the catalog can be read and names every published release')
    .option('--keep <day.run>', 'the release to keep where two could have been published', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats catalog rebuild')
    .action(run(ACTIONS.catalogRebuild));
  catalog
    .command('redate')
    .description('Give the snapshot of a day in the future its right day, and move those after it along')
    .argument('<day>', 'the day that is wrong')
    .requiredOption('--to <day>', 'the right one: after the snapshot before it, and not in the future', textValue)
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats catalog redate 2031-01-01 --to 2026-11-20')
    .action((day: string, options: Omit<CatalogRedateOptions, 'day'>) =>
      run(ACTIONS.catalogRedate)({ ...options, day }),
    );
}
