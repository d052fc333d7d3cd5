import type { Command } from 'commander';
import type { RunAction } from '../cli/command-context.ts';
import { ACTIONS } from '../command-actions.ts';
import type {
  AddIntegrationOptions,
  IntegrationOptions,
  ListIntegrationsOptions,
} from '../commands/integrations/integrations.ts';

/** Adds the commands for pages on which organizations show where their data come from. */
export function addIntegrationCommands(program: Command, run: RunAction): void {
  const integrations = program
    .command('integrations')
    .description('Look after the pages on which organizations show where their data come from');
  integrations
    .command('add')
    .description('Declare a page; it is checked within seconds where `dispatch` runs')
    .argument('<org>', 'id of the organization, org_…')
    .argument('<name>', 'what the page is called')
    .argument('<url>', 'its public address')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', "\nExample:\n  modelstats integrations add ID 'Model prices' https://example.com/prices")
    .action((org: string, name: string, url: string, options: Pick<AddIntegrationOptions, 'json'>) =>
      run(ACTIONS.addIntegration)({ ...options, org, name, url }),
    );
  integrations
    .command('list')
    .description('List the pages of an organization, with their states')
    .argument('<org>', 'id of the organization, org_…')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats integrations list ID')
    .action((org: string, options: Pick<ListIntegrationsOptions, 'json'>) =>
      run(ACTIONS.listIntegrations)({ ...options, org }),
    );
  integrations
    .command('check')
    .description('Look at a page now, and show what was found')
    .argument('<org>', 'id of the organization, org_…')
    .argument('<integration>', 'id of the integration, int_…')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats integrations check ID INTEGRATION')
    .addHelpText('after', '\nExit code 1 where the integration is not verified by it')
    .action((org: string, id: string, options: Pick<IntegrationOptions, 'json'>) =>
      run(ACTIONS.checkIntegration)({ ...options, org, id }),
    );
  integrations
    .command('remove')
    .description('Remove a page for good; its bonus ends with the UTC day')
    .argument('<org>', 'id of the organization, org_…')
    .argument('<integration>', 'id of the integration, int_…')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  modelstats integrations remove ID INTEGRATION')
    .action((org: string, id: string, options: Pick<IntegrationOptions, 'json'>) =>
      run(ACTIONS.removeIntegration)({ ...options, org, id }),
    );
}
