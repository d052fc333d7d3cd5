import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { constrainedMemory } from 'node:process';
import { bytesFromSize } from '../../../pipeline/night/capture/sql/sandbox-process.ts';
import { messageFromError } from '../../../runtime/errors.ts';
import { Database } from '../../../storage/duckdb/database.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';
import { type Finding, fail, nearestFolder, ok, type Setup, servesHere, warn } from './check.ts';

/** The version that all is tested on first; older ones than 22.14 end at once (require-node.ts). */
const RECOMMENDED_MAJOR = 24;

export async function checkNode(): Promise<Finding> {
  const { node: version } = process.versions;
  const told = `Node.js ${version} on ${process.platform} ${process.arch}`;
  if (Number.parseInt(version, 10) >= RECOMMENDED_MAJOR) return ok(told);
  return warn(told, `Node.js ${RECOMMENDED_MAJOR} is recommended: https://nodejs.org`);
}

/** Node, the operating system and a process of `source.sql` need memory besides. */
const SHARE_MAX = 0.8;

/** Whether DuckDB's library loads here and answers, and its memory fits into the machine's. */
export async function checkDuckDB({ config }: Setup): Promise<Finding> {
  const database = await Database.open(':memory:', {
    ...config.duckdb,
    tempFolder: join(tmpdir(), 'modelstats-doctor'), // Made when something spills, which nothing does here.
  });
  try {
    await database.row({ answer: number }, 'SELECT 42 AS answer');
  } finally {
    database.close();
  }
  const memory = Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);
  const told = `DuckDB answers; it may take ${config.duckdb.memoryLimit} of ${inGibibytes(memory)} and ${config.duckdb.threads} threads`;
  if (bytesFromSize(config.duckdb.memoryLimit) <= memory * SHARE_MAX) return ok(told);
  return warn(told, 'lower MODELSTATS_MEMORY_LIMIT, or nights and servers may be killed for want of memory');
}

/** Files, pipes and connections to services besides those of callers. */
const DESCRIPTORS_BESIDE = 200;

/** Whether as many connections as are let in can be open; on Linux, which tells. */
export async function checkDescriptors(setup: Setup): Promise<Finding | undefined> {
  if (!servesHere(setup)) return undefined;
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (limit === undefined) return undefined;
  const { connectionsMax } = setup.config.connections;
  const told = `${limit} files and connections may be open, ${connectionsMax} of callers`;
  if (Number(limit) >= connectionsMax + DESCRIPTORS_BESIDE) return ok(told);
  return warn(
    told,
    `raise the limit (LimitNOFILE of systemd, ulimits of compose) to ${connectionsMax + DESCRIPTORS_BESIDE}, or lower MODELSTATS_CONNECTIONS_MAX`,
  );
}

/** The work folder, which every command that makes a run needs. */
export function checkWorkFolder({ config }: Setup): Promise<Finding> {
  return lookAtFolder('work folder', config.places.work);
}

/** The folder of views, where one serves here. That a server has it is no fault: it is asked at its port. */
export async function checkViewFolder(setup: Setup): Promise<Finding | undefined> {
  return servesHere(setup) ? lookAtFolder('folder of views', resolve(setup.config.view.folder)) : undefined;
}

/** Below this a night, or a view beside the one in use, has hardly room. */
const FREE_BYTES_LOW = 2 * 1024 ** 3;
/** Below this not even reports and logs have. */
const FREE_BYTES_MIN = 100 * 1024 ** 2;

/**
 * Whether a folder of ours can be written and has space. Where it isn't there yet, whether it could be made: it is not made. Where it
 * is, an object of a few bytes is written there and removed, which alone shows a disk that is full or read-only.
 */
export async function lookAtFolder(name: string, path: string): Promise<Finding> {
  const folder = resolve(path);
  let there: string;
  try {
    there = await nearestFolder(folder);
    await access(there, constants.W_OK | constants.X_OK);
    if (there === folder) await writeAndRemove(folder);
  } catch (error) {
    const who = `the user ${process.getuid?.() ?? ''}`.trim();
    return fail(
      `the ${name} ${folder} can't be written: ${messageFromError(error)}`,
      `give ${who} the right to write there`,
    );
  }
  const free = await freeBytes(there);
  const told = `${folder}${there === folder ? '' : ' (made when it is needed)'}, ${inGibibytes(free)} free`;
  if (free < FREE_BYTES_MIN) return fail(told, 'free some space: soon nothing more can be written');
  if (free < FREE_BYTES_LOW)
    return warn(told, `free some space: less than ${inGibibytes(FREE_BYTES_LOW)} is soon used up`);
  return ok(told);
}

export function inGibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}

async function writeAndRemove(folder: string): Promise<void> {
  const probe = join(folder, `.probe-${randomUUID()}`);
  try {
    await writeFile(probe, 'probe', { flag: 'wx', flush: true });
  } finally {
    await rm(probe, { force: true });
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
