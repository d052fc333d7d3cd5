import { join } from 'node:path';
import { isAppError, messageFromError } from '../../../runtime/errors.ts';
import { FileStore } from '../../../storage/file/file-store.ts';
import { FileStoreLock } from '../../../storage/file/lock.ts';

/**
 * A process of its own that works on a file store as its words say, and tells its parent what happened. Run by
 * `file-store.processes.test.ts`.
 */
const [command = '', root = '', ...words] = process.argv.slice(2);
const store = new FileStore(root);

const COMMANDS: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Replaces the version that each order names: words are key, body. */
  replace: async () => {
    for (;;) tell(await responseTo(replace(String((await ordered())['etag']))));
  },
  /** Writes so many bytes: words are key, bytes. */
  put: () => store.put(words[0] ?? '', Buffer.alloc(Number(words[1]), 'x')),
  /** Counts an object up for ever, and creates one object per step: words are the name of this process. */
  count: async () => {
    for (let step = 0; ; step += 1) {
      await countUp('counter');
      tell({ counted: 1 });
      await store.put(`steps/${words[0]}/${step}`, bodyOf(step), { ifAbsent: true });
    }
  },
  /** Takes the lock and keeps it until told to let go. */
  hold: () =>
    new FileStoreLock(join(root, '.lock'), { timeoutMs: 1000, random: Math.random }).hold(async () => {
      tell({ held: true });
      await ordered();
    }),
};

tell({ ready: true });
tell(await responseTo(COMMANDS[command]?.()));
process.disconnect();

async function responseTo(work: Promise<unknown> | undefined): Promise<object> {
  try {
    return { result: (await work) ?? 'done' };
  } catch (error) {
    return { code: isAppError(error) ? error.code : 'defect', message: messageFromError(error) };
  }
}

function replace(etag: string): Promise<unknown> {
  return store.put(words[0] ?? '', Buffer.from(words[1] ?? ''), { ifMatch: etag });
}

function tell(message: object): void {
  process.send?.(message);
}

function ordered(): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve) => process.once('message', (order) => resolve({ ...Object(order) })));
}

/** A body whose wholeness can be seen: one number many times. */
function bodyOf(number: number): Buffer {
  return Buffer.from(`${number}\n`.repeat(20_000));
}

async function countUp(key: string): Promise<void> {
  const current = await store.get(key);
  const next = bodyOf(Number.parseInt(current?.body.toString() ?? '0', 10) + 1);
  try {
    await store.put(key, next, { ifMatch: current?.etag ?? '' });
  } catch (error) {
    if (!isAppError(error, 'precondition_failed')) throw error;
    await countUp(key);
  }
}
