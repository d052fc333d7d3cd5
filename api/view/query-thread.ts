/** A thread of `query-threads.ts`: runs the queries that it is sent on the view's database. */
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { messageFromError } from '../../runtime/errors.ts';
import type { ThreadQuery, ThreadReply } from './query-threads.ts';

const database = new SqliteDatabase(String(workerData), { readonly: true, fileMustExist: true });

parentPort?.on('message', (query: ThreadQuery) => parentPort?.postMessage(replyTo(query)));

function replyTo({ sql, values }: ThreadQuery): ThreadReply {
  try {
    return { rows: database.prepare(sql).all(...values) };
  } catch (error) {
    const code = error instanceof SqliteDatabase.SqliteError ? error.code : '';
    return { error: messageFromError(error), code };
  }
}
