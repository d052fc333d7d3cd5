import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { AppError } from '../../runtime/errors.ts';
import { programBeside } from '../../runtime/this-machine.ts';
import type { QueryLimits } from './settings.ts';

export type QueryValue = string | number | null;

/** Plain data, for another thread. */
export interface ThreadQuery {
  readonly sql: string;
  readonly values: readonly QueryValue[];
}

export type ThreadReply = { readonly rows: readonly unknown[] } | { readonly error: string; readonly code: string };

/** A query that failed in its thread, with SQLite's code. */
export class ThreadQueryError extends Error {
  readonly code: string;

  constructor({ error, code }: { readonly error: string; readonly code: string }) {
    super(error);
    this.code = code;
  }
}

const PROGRAM = programBeside(import.meta.filename, 'query-thread');

/** Runs long queries off the event loop. Threads start when they are first needed. */
export class QueryThreads {
  readonly #path: string;
  readonly #limits: QueryLimits;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #idle: Worker[] = [];
  #isClosed = false;

  /** @param path of the view's database */
  constructor(path: string, limits: QueryLimits) {
    this.#path = path;
    this.#limits = limits;
    this.#limit = pLimit(limits.queriesMax);
  }

  /** Rejects with `unavailable` if too many queries wait or this one takes too long. */
  rows(query: ThreadQuery): Promise<readonly unknown[]> {
    if (this.#limit.pendingCount >= this.#limits.queriesWaitingMax) {
      throw new AppError('unavailable', 'too many requests are waiting; try again in a moment');
    }
    return new Promise((resolve, reject) => {
      void this.#limit(async () => {
        if (this.#isClosed) return reject(new AppError('unavailable', 'this view is closed'));
        const thread = this.#idle.pop() ?? this.#start();
        try {
          resolve(await this.#run(thread, query));
          this.#idle.push(thread);
        } catch (error) {
          reject(error);
          // Nothing interrupts SQLite: another query starts once this one has ended.
          await thread.terminate();
        }
      });
    });
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM.path, { workerData: this.#path, execArgv: [...PROGRAM.execArgv] });
    thread.unref();
    return thread;
  }

  #run(thread: Worker, query: ThreadQuery): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        // One by one: without Node's own listeners the thread would be deaf to the next query.
        thread.off('message', onMessage).off('error', onError).off('exit', onExit);
        settle();
      };
      const onMessage = (reply: ThreadReply) =>
        end(() => ('rows' in reply ? resolve(reply.rows) : reject(new ThreadQueryError(reply))));
      const onError = (error: unknown) => end(() => reject(error));
      const onExit = (code: number) => end(() => reject(new Error(`the query thread exited with ${code}`)));
      const timer = setTimeout(
        () => onError(new AppError('unavailable', 'the query took too long; request less data at once')),
        this.#limits.queryTimeoutMs,
      );
      thread.on('message', onMessage).on('error', onError).on('exit', onExit);
      thread.postMessage(query);
    });
  }

  /** After the last query. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.splice(0).map((thread) => thread.terminate()));
  }
}
