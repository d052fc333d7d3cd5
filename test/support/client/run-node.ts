import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs Node with these arguments to its end; rejects with what it said where it fails. The caller's event loop goes on. */
export function runNode(
  args: readonly string[],
  { cwd }: { readonly cwd: string },
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, args, { cwd });
}
