import type { Command } from 'commander';
import type { RunAction } from '../cli/command-context.ts';
import { textValue } from '../cli/option-values.ts';
import { ACTIONS } from '../command-actions.ts';

/** Adds the command that programs with agents start beside themselves. */
export function addMcpCommand(program: Command, run: RunAction): void {
  program
    .command('mcp')
    .description('Answer MCP on standard input and output: every message is passed on to a service, with an API key')
    .requiredOption('--stdio', 'over standard input and output; over HTTP `serve` answers by itself')
    .option('--url <url>', 'the service (default: MODELSTATS_API_URL)', textValue)
    .option(
      '--key <key>',
      'the API key; others see it in the list of processes, so rather set MODELSTATS_API_KEY',
      textValue,
    )
    .option('--json', 'changes nothing: messages are JSON, one a line')
    .addHelpText('after', '\nExample:\n  MODELSTATS_API_KEY=msk_… modelstats mcp --stdio --url https://api.example.com')
    .addHelpText(
      'after',
      '\nEnds with its input, or a signal. Exit codes: 0 ended, 2 usage or a key that is refused, 1 anything else',
    )
    .action(run(ACTIONS.mcpOverStdio, { stopsItself: true }));
}
