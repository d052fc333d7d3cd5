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
  async rows(query: ThreadQuery): Promise<readonly unknown[]> {
    if (this.#limit.pendingCount >= this.#limits.queriesWaitingMax) {
      throw new AppError('unavailable', 'too many requests are waiting; try again in a moment');
    }
    const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>();
    void this.#limit(async () => {
      let thread: Worker | undefined;
      try {
        if (this.#isClosed) throw new AppError('unavailable', 'this view is closed');
        thread = this.#idle.pop() ?? this.#start();
        resolve(await this.#run(thread, query));
        if (this.#isClosed) await thread.terminate();
        else this.#idle.push(thread);
      } catch (error) {
        reject(error);
        // Ends only after the step of SQLite that it is in: until then no other thread takes its place.
        await thread?.terminate();
      }
    });
    return promise;
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM.path, { workerData: this.#path, execArgv: [...PROGRAM.execArgv] });
    thread.unref();
    return thread;
  }

  #run(thread: Worker, query: ThreadQuery): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      // Each listener by itself: without its own ones, a thread doesn't deliver messages any more.
      const end = (settle: () => void) => {
        clearTimeout(timer);
        thread.off('message', onMessage).off('error', onError).off('exit', onExit);
        settle();
      };
      const onMessage = (reply: ThreadReply) =>
        end(() => ('rows' in reply ? resolve(reply.rows) : reject(new ThreadQueryError(reply))));
      const onError = (error: unknown) => end(() => reject(error));
      const onExit = (code: number) => end(() => reject(new Error(`the query thread exited with ${code}`)));
      const timer = setTimeout(
        () => end(() => reject(new AppError('unavailable', 'the query took too long; request less data at once'))),
        this.#limits.queryTimeoutMs,
      );
      thread.on('message', onMessage).on('error', onError).on('exit', onExit);
      thread.postMessage(query);
    });
  }

  /** Ends idle threads now and busy ones after their query; refuses queries that wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.splice(0).map((thread) => thread.terminate()));
  }
}
