import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError, messageFromError } from '../../../runtime/errors.ts';
import type { ReleaseFile } from '../../../schemas/release.ts';
import { hashFile, hashStream } from '../../../storage/hash.ts';
import { releaseKey } from '../../../storage/keys.ts';
import type { PutCondition } from '../../../storage/object-store.ts';
import { type Strategy, type StrategyDeps, strategiesFor } from './strategies.ts';

/** `restored`: copied; `rebuilt`: created again; `refused`: unavailable. */
export interface FileReport {
  /** Relative to the release's prefix. */
  readonly path: string;
  readonly status: 'ok' | 'restored' | 'rebuilt' | 'refused';
  /** The fault, and the origin of the new bytes or why there are none; null for a correct file. */
  readonly reason: string | null;
}

export interface Restored {
  readonly report: FileReport;
  /** For the catalog, where bytes differ from the recorded ones (decision 0044). */
  readonly corrected: ReleaseFile | undefined;
}

export interface RestoreDeps extends StrategyDeps {
  /** Whether the target's catalog lists the release. */
  readonly mayCorrect: boolean;
}

/**
 * Replaces a missing or damaged object, conditionally on the version found, by the recorded bytes or by a rebuilt
 * Parquet file with proven rows. Rejects with `precondition_failed` where another process wrote it meanwhile.
 */
export async function restoreFile(file: ReleaseFile, deps: RestoreDeps): Promise<Restored> {
  const { path } = file;
  const found = await inspect(file, deps);
  if (found === undefined) return { report: { path, status: 'ok', reason: null }, corrected: undefined };
  const obtained = await obtain(file, deps);
  if (obtained.status === 'refused') {
    const reason = `${found.fault}; ${obtained.reason}`;
    return { report: { path, status: 'refused', reason }, corrected: undefined };
  }
  const { target, rebuild } = deps;
  await target.putFile(releaseKey(rebuild.release, path), obtained.local, found.condition);
  await rm(obtained.local);
  const fault = (await inspect(obtained.corrected ?? file, deps))?.fault;
  if (fault !== undefined) {
    throw new AppError('corrupt', `${target.url}: ${releaseKey(rebuild.release, path)} reads back ${fault}`);
  }
  const reason = `${found.fault}; ${obtained.reason}`;
  return { report: { path, status: obtained.status, reason }, corrected: obtained.corrected };
}

interface Fault {
  readonly fault: string;
  readonly condition: PutCondition;
}

/** Undefined for the recorded file. */
async function inspect(file: ReleaseFile, { target, rebuild }: RestoreDeps): Promise<Fault | undefined> {
  const key = releaseKey(rebuild.release, file.path);
  const head = await target.head(key);
  if (head === undefined) return { fault: 'missing', condition: { ifAbsent: true } };
  const condition = { ifMatch: head.etag };
  if (head.bytes !== file.bytes) return { fault: `damaged: ${head.bytes} bytes, not ${file.bytes}`, condition };
  const { sha256 } = await hashStream(await target.stream(key));
  return sha256 === file.sha256 ? undefined : { fault: `damaged: sha256 ${sha256}, not ${file.sha256}`, condition };
}

type Obtained =
  | {
      readonly status: 'restored' | 'rebuilt';
      readonly reason: string;
      readonly local: string;
      readonly corrected: ReleaseFile | undefined;
    }
  | { readonly status: 'refused'; readonly reason: string };

async function obtain(file: ReleaseFile, deps: RestoreDeps): Promise<Obtained> {
  const failures: string[] = [];
  for (const strategy of strategiesFor(file, deps)) {
    try {
      return await apply(strategy, file, deps);
    } catch (error) {
      if (!isAppError(error) || error.code === 'store_unavailable') throw error;
      failures.push(`not from ${strategy.from}: ${messageFromError(error)}`);
    }
  }
  if (deps.sources.length === 0) {
    const { day } = deps.rebuild.release;
    failures.push(`restore it from another store: modelstats republish ${day} --from STORE`);
  }
  return { status: 'refused', reason: failures.join('; ') };
}

/** Rejects with an AppError where the strategy fails. */
async function apply(
  { status, from, write, isProven }: Strategy,
  file: ReleaseFile,
  deps: RestoreDeps,
): Promise<Obtained> {
  const local = join(deps.rebuild.scratch, 'file');
  await rm(local, { force: true });
  await write(local);
  const made = await hashFile(local);
  const reason = `${status === 'restored' ? 'copied' : 'rebuilt'} from ${from}`;
  if (made.bytes === file.bytes && made.sha256 === file.sha256) return { status, reason, local, corrected: undefined };
  if (!isProven || !deps.mayCorrect) {
    const found = `${made.bytes} bytes with sha256 ${made.sha256}`;
    throw new AppError('corrupt', `the result has ${found}, expected ${file.sha256}`);
  }
  const corrected = `${reason}: the same rows in other bytes, which the catalog records`;
  return { status, reason: corrected, local, corrected: { path: file.path, ...made } };
}
