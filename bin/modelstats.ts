#!/usr/bin/env node
import './cli/require-node.ts';
import { endOnSignals, outliveReaders } from './cli/process-events.ts';
import { terminalText } from './cli/terminal-text.ts';
import { type CommandEnvironment, exitCodeFromError, runCommandLine } from './command-line.ts';

const args = process.argv.slice(2);
const environment: CommandEnvironment = {
  env: process.env,
  writeOut: (text) => void process.stdout.write(terminalText(text)),
  writeError: (text) => void process.stderr.write(terminalText(text)),
  isTerminal: process.stderr.isTTY === true,
  onInterruptible: endOnSignals,
  // After the output: unanswered requests may hold connections open.
  onEndAtOnce: (code) => process.stdout.write('', () => process.exit(code)),
};
outliveReaders();
process.on('uncaughtException', (error) => process.exit(exitCodeFromError(error, args, environment)));
const exitCode = await runCommandLine(args, environment);
process.exitCode ||= exitCode; // Keeps the exit code of a result that could not be written.
