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

/** Tests run on this version first; versions below 22.14 end at once (require-node.ts). */
const RECOMMENDED_MAJOR = 24;

export async function checkNode(): Promise<Finding> {
  const { node: version } = process.versions;
  const message = `Node.js ${version} on ${process.platform} ${process.arch}`;
  if (Number.parseInt(version, 10) >= RECOMMENDED_MAJOR) return ok(message);
  return warn(message, `Node.js ${RECOMMENDED_MAJOR} is recommended: https://nodejs.org`);
}

/** Node, the system and `source.sql` processes need memory too. */
const SHARE_MAX = 0.8;

export async function checkDuckDB({ config }: Setup): Promise<Finding> {
  const database = await Database.open(':memory:', {
    ...config.duckdb,
    tempFolder: join(tmpdir(), 'modelstats-doctor'), // Only created for spilling, which doesn't happen here.
  });
  try {
    await database.row({ answer: number }, 'SELECT 42 AS answer');
  } finally {
    database.close();
  }
  const memory = Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);
  const message = `DuckDB works; it may use ${config.duckdb.memoryLimit} of ${inGibibytes(memory)} and ${config.duckdb.threads} threads`;
  if (bytesFromSize(config.duckdb.memoryLimit) <= memory * SHARE_MAX) return ok(message);
  return warn(message, 'lower MODELSTATS_MEMORY_LIMIT, or the system may kill nights and servers');
}

/** Files, pipes and connections to services, besides callers. */
const DESCRIPTORS_BESIDE = 200;

/** Whether the allowed connections can be open; Linux only. */
export async function checkDescriptors(setup: Setup): Promise<Finding | undefined> {
  if (!servesHere(setup)) return undefined;
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (limit === undefined) return undefined;
  const { connectionsMax } = setup.config.connections;
  const message = `${limit} files and connections may be open, ${connectionsMax} of them of callers`;
  if (Number(limit) >= connectionsMax + DESCRIPTORS_BESIDE) return ok(message);
  return warn(
    message,
    `raise the limit (LimitNOFILE of systemd, ulimits of compose) to ${connectionsMax + DESCRIPTORS_BESIDE}, or lower MODELSTATS_CONNECTIONS_MAX`,
  );
}

export function checkWorkFolder({ config }: Setup): Promise<Finding> {
  return checkFolder('work folder', config.places.work);
}

/** A server that uses it is no fault; the check of its port covers that. */
export async function checkViewFolder(setup: Setup): Promise<Finding | undefined> {
  return servesHere(setup) ? checkFolder('folder of views', resolve(setup.config.view.folder)) : undefined;
}

/** Too little for a night, or for a second view. */
const FREE_BYTES_LOW = 2 * 1024 ** 3;
/** Too little even for reports and logs. */
const FREE_BYTES_MIN = 100 * 1024 ** 2;

/**
 * Whether a folder can be written and has space. A missing folder is not created, only checked; into an existing one a
 * small file is written, which alone detects a full or read-only disk.
 */
export async function checkFolder(name: string, path: string): Promise<Finding> {
  const folder = resolve(path);
  let there: string;
  try {
    there = await nearestFolder(folder);
    await access(there, constants.W_OK | constants.X_OK);
    if (there === folder) await writeAndRemove(folder);
  } catch (error) {
    const who = `the user ${process.getuid?.() ?? ''}`.trim();
    return fail(`the ${name} ${folder} can't be written: ${messageFromError(error)}`, `give ${who} write permission`);
  }
  const free = await freeBytes(there);
  const message = `${folder}${there === folder ? '' : ' (created when needed)'}, ${inGibibytes(free)} free`;
  if (free < FREE_BYTES_MIN) return fail(message, 'free some space: soon nothing can be written');
  if (free < FREE_BYTES_LOW)
    return warn(message, `free some space: less than ${inGibibytes(FREE_BYTES_LOW)} is used up soon`);
  return ok(message);
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
