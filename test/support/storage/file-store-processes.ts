import { type ChildProcess, fork, spawn } from 'node:child_process';
import { programBeside } from '../../../runtime/this-machine.ts';

/** What a child of `file-store-child.ts` said. */
type Answer = Readonly<Record<string, unknown>>;

const CHILD = programBeside(import.meta.filename, 'file-store-child');
const NOBODY = 65534;
const IS_ROOT = process.getuid?.() === 0;

/** The processes of one test file; each works on a store as its words say. */
export class StoreProcesses {
  readonly #running = new Set<ChildProcess>();

  start(root: string, ...words: readonly string[]): ChildProcess {
    return this.#add(fork(CHILD.path, childWords(root, words), { execArgv: [...CHILD.execArgv] }));
  }

  /** As a user whom permissions bind, also where the tests run as root. */
  startUnprivileged(root: string, ...words: readonly string[]): ChildProcess {
    const user = IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {};
    return this.#add(fork(CHILD.path, childWords(root, words), { execArgv: [...CHILD.execArgv], ...user }));
  }

  /** With a limit on the size of the files it writes, in blocks of the shell's `ulimit -f` (512 or 1024 bytes). */
  startWithFileLimit(blocks: number, root: string, ...words: readonly string[]): ChildProcess {
    const command = [process.execPath, ...CHILD.execArgv, CHILD.path, ...childWords(root, words)];
    const limited = `ulimit -f ${blocks}; exec "$0" "$@"`;
    return this.#add(spawn('sh', ['-c', limited, ...command], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
  }

  kill(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    this.#running.clear();
  }

  #add(child: ChildProcess): ChildProcess {
    this.#running.add(child);
    return child;
  }
}

function childWords(root: string, [command = '', ...rest]: readonly string[]): string[] {
  return [command, root, ...rest];
}

/** The next thing that a process says about one of these words. */
export function heard(child: ChildProcess, ...words: readonly string[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new Error(`the process ended without saying ${words.join(' or ')}`));
    const onMessage = (message: unknown) => {
      if (!isResponse(message) || !words.some((word) => word in message)) return;
      child.off('message', onMessage).off('close', onClose);
      resolve(message);
    };
    child.on('message', onMessage).on('close', onClose);
  });
}

export function isResponse(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null;
}
