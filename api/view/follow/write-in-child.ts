import { type ChildProcess, fork } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { AppError, type ErrorCode } from '../../../runtime/errors.ts';
import { programBeside } from '../../../runtime/this-machine.ts';
import type { ViewFile, WriteInput } from '../write/write-view.ts';

/** What the child sends, once. */
export type ChildReply =
  | { readonly view: ViewFile }
  /** `code` is null for an error of another kind. */
  | { readonly failed: string; readonly code: ErrorCode | null };

const CHILD = programBeside(import.meta.filename, 'write-child');

/** Characters of the child's error output; the last are kept. */
const COMPLAINT_MAX = 1000;

/**
 * `writeView` in a process of its own, which ends afterwards: DuckDB and its memory never stay in the serving process. Rejects as it
 * does.
 *
 * @param signal kills the process
 */
export function writeInChild(input: WriteInput, signal?: AbortSignal): Promise<ViewFile> {
  const child = fork(CHILD.path, [], {
    execArgv: [...CHILD.execArgv],
    // SQLite sorts the entries of an index there: the system's folder may be small, or read-only.
    env: { SQLITE_TMPDIR: dirname(input.path) },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  if (input.isServing && child.pid !== undefined) lowerPriority(child.pid);
  return new Promise((resolve, reject) => {
    const complaint = complaintOf(child);
    child.on('message', (reply: ChildReply) => {
      if ('view' in reply) resolve(reply.view);
      else reject(reply.code === null ? new Error(reply.failed) : new AppError(reply.code, reply.failed));
    });
    const kill = () => child.kill('SIGKILL'); // It has nothing to finish: its file is removed.
    signal?.addEventListener('abort', kill);
    if (signal?.aborted) kill();
    child.on('error', reject);
    // No effect after a message.
    child.on('close', (code, killedBy) => {
      signal?.removeEventListener('abort', kill);
      reject(new Error(`the process that writes the view ended with ${killedBy ?? `exit code ${code}`}${complaint()}`));
    });
    child.send(input, () => undefined); // A failed send means that the process ended.
  });
}

/** Of a process that has just begun: its later threads inherit the priority, which Linux gives to one thread. */
function lowerPriority(pid: number): void {
  // A priority can't be raised: this process may have a lower one.
  setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}

function complaintOf({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-COMPLAINT_MAX);
  });
  return () => (text === '' ? '' : `: ${text.trim()}`);
}
