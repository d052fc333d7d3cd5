#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { AppError, ERROR_CODES, messageFromError } from '../schemas/errors.ts';
import type { CommandAction, CommandContext } from './commands/command-context.ts';
import { configFromEnv } from './config.ts';
import { endOnSignals, outliveReaders } from './process-events.ts';
import { buildProgram } from './program.ts';

/** Runs a command and makes its result the exit code. */
function run<Options>(action: CommandAction<Options>, { stopsItself = false } = {}) {
  return async (options: Options) => {
    if (!stopsItself) endOnSignals();
    process.exitCode = await action(createContext(), options);
  };
}

function createContext(): CommandContext {
  return {
    config: configFromEnv(process.env),
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
      // Not beside the sources: try beside dist/.
    }
  }
  return '0.0.0';
}

function exitCodeFromError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ERROR_CODES.usage.exit;
  const isExpected = error instanceof AppError;
  process.stderr.write(`modelstats: ${isExpected ? error.message : stackFromError(error)}\n`);
  return isExpected ? ERROR_CODES[error.code].exit : 1;
}

function stackFromError(error: unknown): string {
  return error instanceof Error && error.stack !== undefined ? error.stack : messageFromError(error);
}

outliveReaders();
try {
  await buildProgram(toolVersion(), run).parseAsync(process.argv);
} catch (error) {
  process.exitCode = exitCodeFromError(error);
}
