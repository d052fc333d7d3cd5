import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { AppError, ERROR_CODES, type ErrorCode, messageFromError } from '../runtime/errors.ts';
import type { CommandContext, RunCall } from './cli/command.ts';
import type { Config, Environment } from './config/config.ts';
import { buildProgram } from './program.ts';

/** The process or test that a command line runs in. */
export interface CommandEnvironment {
  readonly env: Environment;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Whether stderr is a terminal that can show progress. */
  readonly isTerminal: boolean;
  /** Called before a command that signals may end at any time. */
  readonly onInterruptible: () => void;
  /** Called after a command that must not wait for open connections. */
  readonly onEndAtOnce: (exitCode: number) => void;
}

/** Runs `modelstats ARGS…`; resolves to the exit code, and never rejects. */
export async function runCommandLine(args: readonly string[], environment: CommandEnvironment): Promise<number> {
  let code = 0;
  const runCall: RunCall = async ({ json, mode, run }) => {
    if (!mode.stopsItself) environment.onInterruptible();
    const context = await createContext(environment, { json, program });
    if (!mode.toleratesBadSettings) void context.config;
    code = await run(context);
    if (mode.endsAtOnce) environment.onEndAtOnce(code);
  };
  const program = buildProgram(toolVersion(), runCall, environment);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeFromError(error, args, environment);
  }
}

async function createContext(
  { env, writeOut, writeError, isTerminal }: CommandEnvironment,
  { json, program }: { readonly json: boolean; readonly program: Command },
): Promise<CommandContext> {
  const [{ configFromEnv }, { paint, showProgress, tableText }] = await Promise.all([
    import('./config/config.ts'),
    import('./cli/terminal.ts'),
  ]);
  const print = (line: string) => writeOut(`${line}\n`);
  let config: Config | undefined;
  return {
    get config() {
      config ??= configFromEnv(env);
      return config;
    },
    env,
    clock: () => new Date(),
    toolVersion: toolVersion(),
    print,
    printResult: (value, text) => print(json ? JSON.stringify(value) : textOf(text)),
    log: (line) => writeError(`${line}\n`),
    isTerminal,
    paint,
    tableText,
    showProgress: (items) => showProgress({ isTerminal }, items),
    program,
  };
}

function textOf(text: string | (() => string)): string {
  return typeof text === 'string' ? text : text();
}

function toolVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (parsed !== null && typeof parsed === 'object' && 'version' in parsed) return String(parsed.version);
    } catch {
      // package.json is one folder above the sources, and two above the build in dist/.
    }
  }
  return '0.0.0';
}

/** Reports an error, with `--debug` its stack and with `--json` also on stdout; returns the exit code. */
export function exitCodeFromError(
  error: unknown,
  args: readonly string[],
  { writeOut, writeError }: Pick<CommandEnvironment, 'writeOut' | 'writeError'>,
): number {
  // With --stdio, stdout is for MCP messages only.
  const isJson = args.includes('--json') && !args.includes('--stdio');
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    if (isJson) writeOut(errorAsJson('usage', error.message));
    return ERROR_CODES.usage.exit;
  }
  const isExpected = error instanceof AppError;
  const message = isExpected ? error.message : defectLine(error);
  writeError(`modelstats: ${message}\n`);
  if (isJson) writeOut(errorAsJson(isExpected ? error.code : 'internal_error', message));
  if (args.includes('--debug')) writeError(`${stackFromError(error)}\n`);
  return isExpected ? ERROR_CODES[error.code].exit : ERROR_CODES.internal_error.exit;
}

/** The last line on stdout of a failed command (specification "JSON answers"). */
function errorAsJson(code: ErrorCode, message: string): string {
  return `${JSON.stringify({ status: 'error', error: { code, message } })}\n`;
}

function defectLine(error: unknown): string {
  const message = messageFromError(error).replaceAll(/\s+/g, ' ').slice(0, 500);
  return `a defect of modelstats: ${message} (run the same command with --debug to see where)`;
}

function stackFromError(error: unknown): string {
  if (!(error instanceof Error)) return messageFromError(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by ${stackFromError(error.cause)}`;
}
