import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** What a program took, seen from outside. */
export interface Measured {
  readonly wallMs: number;
  /** Most memory the process held at once, all of it: DuckDB, Node and zlib. */
  readonly peakBytes: number;
  /** Processor time of all its threads, which other work on the machine disturbs less than the wall time. */
  readonly cpuMs: number;
  readonly stdout: string;
}

/**
 * Run in the child before its program: at its end it tells what it used on file descriptor 3. Linux's VmHWM comes
 * first because `maxRSS` of a new process starts at its parent's.
 */
const TELL_USAGE = `
import { readFileSync, writeSync } from 'node:fs';
process.once('exit', () => {
  let kilobytes = process.resourceUsage().maxRSS;
  try { kilobytes = Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]); } catch {}
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ peakBytes: kilobytes * 1024, cpuMs: (user + system) / 1000 }));
});`;

const UsageSchema = z.object({ peakBytes: z.number(), cpuMs: z.number() });

/** A started process that tells what it used when it ends. */
export interface StartedProgram {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly usage: Promise<Omit<Measured, 'wallMs' | 'stdout'>>;
}

/**
 * Starts Node with these arguments.
 *
 * @param stderr `pipe`, or the descriptor of an open file
 */
export function startNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stderr: 'pipe' | number = 'pipe',
): StartedProgram {
  const preload = `data:text/javascript,${encodeURIComponent(TELL_USAGE)}`;
  return start([process.execPath, '--import', preload, ...args], env, stderr);
}

/** Starts a program that tells on file descriptor 3 what it used. */
function start(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  stderr: 'pipe' | number,
): StartedProgram {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', stderr, 'pipe'], env: { ...process.env, ...env } });
  const usage = text(readableFrom(child.stdio[3])).then((told) => UsageSchema.parse(JSON.parse(told)));
  usage.catch(() => undefined); // Whoever waits for the end is told; a process that is killed tells nothing.
  return { child, stdout: readableFrom(child.stdout), usage };
}

/** Runs Node with these arguments to its end; rejects with what it said where it fails. */
export function measureNode(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Measured> {
  return measure(() => startNode(args, env));
}

/** {@link measureNode} for a Python script, with the Python that is given. */
export function measurePython(python: string, script: string, args: readonly string[]): Promise<Measured> {
  const teller = join(import.meta.dirname, 'peers/measured.py');
  return measure(() => start([python, teller, script, ...args], {}, 'pipe'));
}

async function measure(startProgram: () => StartedProgram): Promise<Measured> {
  const started = performance.now();
  const { child, stdout: output, usage } = startProgram();
  const [stdout, stderr, wallMs] = await Promise.all([
    text(output),
    text(readableFrom(child.stderr)),
    once(child, 'exit').then(() => performance.now() - started),
  ]);
  if (child.exitCode !== 0)
    throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}: ${stderr}${stdout}`);
  return { wallMs, ...(await usage), stdout };
}

/** {@link measureNode} for a TypeScript file, named from the project's root. */
export function measureScript(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Measured> {
  return measureNode(scriptArgs(script, args), env);
}

/** Node's arguments to run a TypeScript file, named from the project's root. */
export function scriptArgs(script: string, args: readonly string[]): readonly string[] {
  return ['--import', import.meta.resolve('tsx'), join(import.meta.dirname, '..', script), ...args];
}

function readableFrom(stream: unknown): Readable {
  if (!(stream instanceof Readable)) throw new Error('the child has no pipe');
  return stream;
}
