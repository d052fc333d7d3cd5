#!/usr/bin/env node
import './cli/require-node.ts';
import { endOnSignals, outliveReaders } from './cli/process-events.ts';
import { terminalText } from './cli/terminal-text.ts';
import { exitCodeFromError, runCommandLine, type Surroundings } from './command-line.ts';

const args = process.argv.slice(2);
const surroundings: Surroundings = {
  env: process.env,
  writeOut: (text) => void process.stdout.write(terminalText(text)),
  writeError: (text) => void process.stderr.write(terminalText(text)),
  isTerminal: process.stderr.isTTY === true,
  onInterruptible: endOnSignals,
  // Once all is written: what has not answered in time may hold connections open for as long as it likes.
  onEndAtOnce: (code) => process.stdout.write('', () => process.exit(code)),
};
outliveReaders();
process.on('uncaughtException', (error) => process.exit(exitCodeFromError(error, args, surroundings)));
const exitCode = await runCommandLine(args, surroundings);
process.exitCode ||= exitCode; // Not where an answer could not be written meanwhile.
