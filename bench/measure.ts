import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

/** Runs Node with these arguments to its end; rejects with what it said where it fails. */
export async function measureNode(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Measured> {
  const preload = `data:text/javascript,${encodeURIComponent(TELL_USAGE)}`;
  const started = performance.now();
  const child = spawn(process.execPath, ['--import', preload, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const [stdout, stderr, usage, wallMs] = await Promise.all([
    text(readableFrom(child.stdout)),
    text(readableFrom(child.stderr)),
    text(readableFrom(child.stdio[3])),
    once(child, 'exit').then(() => performance.now() - started),
  ]);
  if (child.exitCode !== 0) throw new Error(`node ${args.join(' ')} ended with ${child.exitCode}: ${stderr}${stdout}`);
  return { wallMs, ...UsageSchema.parse(JSON.parse(usage)), stdout };
}

function readableFrom(stream: unknown): Readable {
  if (!(stream instanceof Readable)) throw new Error('the child has no pipe');
  return stream;
}
