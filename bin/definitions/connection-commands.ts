import type { Command } from 'commander';
import type { RunAction } from '../cli/command-context.ts';
import { ACTIONS } from '../command-actions.ts';
import type { ListConnectionsOptions, RevokeConnectionOptions } from '../commands/accounts/connections.ts';

/** Adds the commands for programs that people connected. */
export function addConnectionCommands(program: Command, run: RunAction): void {
  const connections = program
    .command('connections')
    .description('Look after the programs that people connected over MCP');
  connections
    .command('list')
    .description('List the programs that ask for an organization')
    .argument('<org>', 'id of the organization, org_…')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats connections list ID')
    .action((org: string, options: Omit<ListConnectionsOptions, 'org'>) =>
      run(ACTIONS.listConnections)({ ...options, org }),
    );
  connections
    .command('revoke')
    .description('End a connection with its tokens')
    .argument('<org>', 'id of the organization, org_…')
    .argument('<connection>', 'id of the connection, connection_…')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats connections revoke ID CONNECTION')
    .action((org: string, connection: string, options: Omit<RevokeConnectionOptions, 'org' | 'connection'>) =>
      run(ACTIONS.revokeConnection)({ ...options, org, connection }),
    );
}
