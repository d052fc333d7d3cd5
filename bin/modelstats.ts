#!/usr/bin/env node
import './cli/require-node.ts';
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { AppError, ERROR_CODES, type ErrorCode, messageFromError } from '../schemas/errors.ts';
import type { CommandAction, CommandContext } from './cli/command-context.ts';
import { endOnSignals, outliveReaders } from './cli/process-events.ts';
import type { Config } from './config/config.ts';
import { buildProgram } from './program.ts';

/** Loads a command, runs it and makes its result the exit code. */
function run<Options>(
  load: () => Promise<CommandAction<Options>>,
  { stopsItself = false, meetsSettings = false, endsAtOnce = false } = {},
) {
  return async (options: Options) => {
    if (!stopsItself) endOnSignals();
    const context = await createContext();
    if (!meetsSettings) void context.config;
    const action = await load();
    const code = await action(context, options);
    process.exitCode = code;
    // Once all is written: what has not answered in time may hold connections open for as long as it likes.
    if (endsAtOnce) process.stdout.write('', () => process.exit(code));
  };
}

async function createContext(): Promise<CommandContext> {
  const { configFromEnv } = await import('./config/config.ts');
  let config: Config | undefined;
  return {
    get config() {
      config ??= configFromEnv(process.env);
      return config;
    },
    env: process.env,
    clock: () => new Date(),
    toolVersion: toolVersion(),
    print: (line) => void process.stdout.write(`${line}\n`),
    log: (line) => void process.stderr.write(`${line}\n`),
    isTerminal: process.stderr.isTTY === true,
  };
}

function toolVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (parsed !== null && typeof parsed === 'object' && 'version' in parsed) return String(parsed.version);
    } catch {
      // The sources are one folder below package.json, the build in dist/ is two.
    }
  }
  return '0.0.0';
}

interface HowToTell {
  readonly isDebug: boolean;
  /** Whether programs read stdout. */
  readonly isJson: boolean;
}

/** Says what went wrong, with `isDebug` also where, and gives the exit code. */
function exitCodeFromError(error: unknown, { isDebug, isJson }: HowToTell): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    if (isJson) tellAsJson('usage', error.message);
    return ERROR_CODES.usage.exit;
  }
  const isExpected = error instanceof AppError;
  const message = isExpected ? error.message : defectLine(error);
  process.stderr.write(`modelstats: ${message}\n`);
  if (isJson) tellAsJson(isExpected ? error.code : 'internal_error', message);
  if (isDebug) process.stderr.write(`${stackFromError(error)}\n`);
  return isExpected ? ERROR_CODES[error.code].exit : ERROR_CODES.internal_error.exit;
}

/** The last line on stdout of a command that failed (specification "JSON answers"). */
function tellAsJson(code: ErrorCode, message: string): void {
  process.stdout.write(`${JSON.stringify({ status: 'error', error: { code, message } })}\n`);
}

/** What was not foreseen, in one line. */
function defectLine(error: unknown): string {
  const message = messageFromError(error).replaceAll(/\s+/g, ' ').slice(0, 500);
  return `a defect of modelstats: ${message} (the same command with --debug shows where)`;
}

function stackFromError(error: unknown): string {
  if (!(error instanceof Error)) return messageFromError(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by ${stackFromError(error.cause)}`;
}

outliveReaders();
const program = buildProgram(toolVersion(), run);
const how = () => ({
  isDebug: program.opts()['debug'] === true,
  // With --stdio stdout is for messages of MCP alone.
  isJson: process.argv.includes('--json') && !process.argv.includes('--stdio'),
});
process.on('uncaughtException', (error) => process.exit(exitCodeFromError(error, how())));
try {
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = exitCodeFromError(error, how());
}
