import { Command } from 'commander';
import { type AddCommand, commandGroup, type RunCall } from './cli/command.ts';
import { connections } from './commands/accounts/connections.ts';
import { database } from './commands/accounts/database.ts';
import { integrations } from './commands/accounts/integrations.ts';
import { keys } from './commands/accounts/keys.ts';
import { members } from './commands/accounts/members.ts';
import { orgs } from './commands/accounts/orgs.ts';
import { completion } from './commands/completion/completion.ts';
import { config } from './commands/config-show.ts';
import { doctor } from './commands/doctor/doctor.ts';
import { init } from './commands/init.ts';
import { backfill } from './commands/night/backfill.ts';
import { fetchDay } from './commands/night/fetch.ts';
import { nightly } from './commands/night/nightly.ts';
import { notify } from './commands/night/notify.ts';
import { schedule } from './commands/night/schedule.ts';
import { source } from './commands/night/source-check.ts';
import { digest } from './commands/serve/digest.ts';
import { dispatch, serve } from './commands/serve/serve.ts';
import { aliases } from './commands/store/aliases.ts';
import { catalog } from './commands/store/catalog.ts';
import { correctDay } from './commands/store/correct.ts';
import { mirrorStore } from './commands/store/mirror.ts';
import { pruneStore } from './commands/store/prune.ts';
import { republishSnapshot } from './commands/store/republish.ts';
import { status } from './commands/store/status.ts';
import { verifyStore } from './commands/store/verify.ts';
import { mcpOverStdio } from './commands/sync/mcp.ts';
import { sync } from './commands/sync/sync.ts';
import { DELIVERY_COMMANDS } from './commands/webhooks/deliveries.ts';
import { ENDPOINT_COMMANDS } from './commands/webhooks/endpoints.ts';
import { listen } from './commands/webhooks/listen.ts';

/**
 * In the order of the help. All these files are loaded for any command, so they import slow modules only when they run.
 */
const COMMANDS: readonly AddCommand[] = [
  nightly,
  source,
  fetchDay,
  schedule,
  backfill,
  serve,
  status,
  verifyStore,
  republishSnapshot,
  correctDay,
  pruneStore,
  mirrorStore,
  catalog,
  orgs,
  keys,
  members,
  connections,
  database,
  integrations,
  dispatch,
  digest,
  commandGroup('webhooks', 'Manage the endpoints that receive changes', [
    ...ENDPOINT_COMMANDS,
    ...DELIVERY_COMMANDS,
    listen,
  ]),
  sync,
  init,
  mcpOverStdio,
  aliases,
  notify,
  doctor,
  config,
  completion,
];

/** Default: the process's streams. */
export interface ProgramOutput {
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
}

export function buildProgram(version: string, run: RunCall, output?: ProgramOutput): Command {
  const program = new Command('modelstats')
    .configureOutput(output === undefined ? {} : { writeOut: output.writeOut, writeErr: output.writeError })
    .description('A trustworthy daily record of AI models, benchmarks, scores, rankings and prices.')
    .version(version)
    .option('--debug', 'show where an error came from')
    .showHelpAfterError('(see --help)')
    .exitOverride();
  for (const add of COMMANDS) add(program, run);
  return program;
}
