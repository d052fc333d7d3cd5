import { spawn } from 'node:child_process';
import { messageFromError } from '../../runtime/errors.ts';
import type { Notice } from './notice.ts';

export interface ProgramOptions {
  /** The program's environment beside what tells the notice. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A program that takes longer is killed with all that it started, in milliseconds. */
  readonly timeoutMs: number;
  /** Kills it like that at once. */
  readonly stop: AbortSignal;
}

/** How much of what a program complains is told, in characters: its end. */
const STDERR_MAX = 500;

/**
 * Runs an operator's program with a notice: as JSON on its standard input, the essentials as `NOTICE_…` in its environment. No shell
 * reads anything of it. Rejects where it can't be started, takes too long, or ends with another exit code than 0.
 */
export function runProgram(
  { program, args }: { readonly program: string; readonly args: readonly string[] },
  notice: Notice,
  { environment, timeoutMs, stop }: ProgramOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true, // A group of its own, which can be killed as a whole.
      env: { ...environment, ...variablesOf(notice) },
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint = (complaint + chunk).slice(-STDERR_MAX);
    });
    const end = () => {
      stop.removeEventListener('abort', kill);
      clearTimeout(timer);
      // What it has left running holds its output open, which would keep this process from ending.
      child.stderr.destroy();
    };
    const kill = () => {
      end();
      killGroup(child.pid);
      reject(new Error(`${program} took longer than ${timeoutMs / 1000} s and was killed`));
    };
    const timer = setTimeout(kill, timeoutMs);
    stop.addEventListener('abort', kill);
    child.on('error', (cause) => {
      end();
      reject(new Error(`${program} can't be started: ${messageFromError(cause)}`, { cause }));
    });
    child.on('exit', (code, signal) => {
      end();
      if (code === 0) return resolve();
      const said = complaint.trim() === '' ? '' : `: ${complaint.trim()}`;
      reject(new Error(`${program} ended with ${signal ?? `exit code ${code}`}${said}`));
    });
    child.stdin.on('error', () => {}); // A program need not read it.
    child.stdin.end(`${JSON.stringify(notice)}\n`);
  });
}

/** Not `MODELSTATS_…`: a program that calls `modelstats` would find them refused as settings that there aren't. */
function variablesOf(notice: Notice): Readonly<Record<string, string>> {
  return {
    NOTICE_KIND: notice.kind,
    NOTICE_DAY: notice.day,
    NOTICE_STORE: notice.store,
    NOTICE_TEXT: notice.text,
    NOTICE_NEXT_COMMAND: notice.next_command ?? '',
    NOTICE_NEXT_ATTEMPT_AT: notice.next_attempt_at ?? '',
    NOTICE_REPORT: notice.report ?? '',
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
