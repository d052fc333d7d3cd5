import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError, messageFromError } from '../../../runtime/errors.ts';
import type { ReleaseFile } from '../../../schemas/release.ts';
import { hashFile, hashStream } from '../../../storage/hash.ts';
import { releaseKey } from '../../../storage/keys.ts';
import type { PutCondition } from '../../../storage/object-store.ts';
import { type Way, type WaysDeps, waysTo } from './strategies.ts';

/** What became of one file: it was right, it was copied, it was made anew, or it can't be had. */
export interface FileReport {
  /** Relative to the release's prefix. */
  readonly path: string;
  readonly status: 'ok' | 'restored' | 'rebuilt' | 'refused';
  /** What was wrong and where the bytes came from, or why there are none; null where all was well. */
  readonly reason: string | null;
}

export interface Restored {
  readonly report: FileReport;
  /** What the file is now, where that is not what was recorded; the catalog has to say so (decision 0044). */
  readonly corrected: ReleaseFile | undefined;
}

export interface RestoreDeps extends WaysDeps {
  /** True where a correction can be recorded, because the release is live in the target. */
  readonly mayCorrect: boolean;
}

/**
 * Makes sure that the target has a release's file. A good object is not touched; a missing or damaged one is replaced, over
 * exactly the version that was found, by bytes with the recorded sha256, or by a Parquet file that was rebuilt and proven to have
 * the right rows. Rejects with `precondition_failed` where somebody else wrote it meanwhile.
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

/** What is wrong with an object, and on which condition it may be replaced. */
interface Fault {
  readonly fault: string;
  readonly condition: PutCondition;
}

/** Undefined where the stored object is the recorded file. */
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

/** The file, by the first way that gives the recorded bytes or may give others. */
async function obtain(file: ReleaseFile, deps: RestoreDeps): Promise<Obtained> {
  const failures: string[] = [];
  for (const way of waysTo(file, deps)) {
    try {
      return await take(way, file, deps);
    } catch (error) {
      if (!isAppError(error) || error.code === 'store_unavailable') throw error;
      failures.push(`not from ${way.from}: ${messageFromError(error)}`);
    }
  }
  if (deps.sources.length === 0) {
    const { day } = deps.rebuild.release;
    failures.push(`another store that has it can give it back: modelstats republish ${day} --from STORE`);
  }
  return { status: 'refused', reason: failures.join('; ') };
}

/** Goes one way; rejects with an AppError where it is closed or doesn't lead to the file. */
async function take({ status, from, write, isProven }: Way, file: ReleaseFile, deps: RestoreDeps): Promise<Obtained> {
  const local = join(deps.rebuild.scratch, 'file');
  await rm(local, { force: true });
  await write(local);
  const made = await hashFile(local);
  const reason = `${status === 'restored' ? 'copied' : 'rebuilt'} from ${from}`;
  if (made.bytes === file.bytes && made.sha256 === file.sha256) return { status, reason, local, corrected: undefined };
  if (!isProven || !deps.mayCorrect) {
    const found = `${made.bytes} bytes with sha256 ${made.sha256}`;
    throw new AppError('corrupt', `it gives ${found}, recorded is ${file.sha256}`);
  }
  const told = `${reason}: the same rows in other bytes, which the catalog records`;
  return { status, reason: told, local, corrected: { path: file.path, ...made } };
}
