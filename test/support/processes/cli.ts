import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../../bin/command-line.ts';

/** The command as an operator starts it; `make test` and `npm test` build it first. */
export const COMMAND = join(import.meta.dirname, '../../../dist/bin/modelstats.js');

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type CalledCli = Omit<CliResult, 'signal'>;

export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliResult>;
}

/** Where a series of nights works: folders that need not exist. */
export interface Place {
  readonly store: string;
  readonly work: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Run by the shell before the command, such as `ulimit -f 8`. */
  readonly shell?: string;
  readonly cwd?: string;
  /** Whether there is an input to write to; default: one that has ended. */
  readonly hasInput?: boolean;
  /** The Node that runs it; the one that runs the tests unless named. */
  readonly node?: string;
}

/** All that a command with `--json` says on stdout when it fails before it has an answer (specification "JSON answers"). */
export const FAILURE_AS_JSON = /^\{"status":"error","error":\{"code":"\w+","message":".+"\}\}\n$/;

/** Starts `modelstats ARGS…` in a process of its own, free of the settings of whoever runs the tests. */
export function startCli(
  args: readonly string[],
  { env = {}, shell, cwd, hasInput = false, node = process.execPath }: CliOptions = {},
): RunningCli {
  if (!existsSync(COMMAND)) throw new Error(`${COMMAND} is not there: run "make build" first`);
  const words = [node, COMMAND, ...args];
  const [command = '', ...rest] = shell === undefined ? words : ['sh', '-c', `${shell}; exec "$0" "$@"`, ...words];
  const child = spawn(command, rest, {
    env: { ...withoutSettings(process.env), NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (!hasInput) child.stdin.end();
  const closed = new Promise<Pick<CliResult, 'code' | 'signal'>>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(([end, stdout, stderr]) => ({
    ...end,
    stdout,
    stderr,
  }));
  return { child, ended };
}

export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(args, options).ended;
}

/**
 * Runs `modelstats ARGS…` in this process, which takes a fifth of a new one's time: for what a command answers, where the process itself
 * is not what is tested. Meanwhile the working directory is `cwd`.
 */
export async function callCli(
  args: readonly string[],
  { env = {}, cwd = process.cwd() }: Pick<CliOptions, 'env' | 'cwd'> = {},
): Promise<CalledCli> {
  const leave = workIn(cwd);
  try {
    let [stdout, stderr] = ['', ''];
    const code = await runCommandLine(args, {
      env: { ...withoutSettings(process.env), NO_COLOR: '1', ...env },
      writeOut: (words) => {
        stdout += words;
      },
      writeError: (words) => {
        stderr += words;
      },
      isTerminal: false,
      onInterruptible: () => {},
      onEndAtOnce: () => {},
    });
    return { code, stdout, stderr };
  } finally {
    leave();
  }
}

const calls = { running: 0, from: '' };

/** Makes a folder the working directory until all that work in it have left; throws where others work in another. */
function workIn(folder: string): () => void {
  if (calls.running === 0) {
    calls.from = process.cwd();
    process.chdir(folder);
  } else if (process.cwd() !== realpathSync(folder)) {
    throw new Error(`a command works in ${process.cwd()}, so none can in ${folder}`);
  }
  calls.running += 1;
  return () => {
    calls.running -= 1;
    if (calls.running === 0) process.chdir(calls.from);
  };
}

export function envOf({ store, work }: Place): Record<string, string> {
  return { MODELSTATS_STORE: `file:${store}`, MODELSTATS_WORK: work };
}

/** What a command with `--json` answered, a value per line. */
export function responsesFrom(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(MODELSTATS|AWS)_/.test(name)));
}
