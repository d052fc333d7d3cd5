/**
 * The process in which the SELECTs of a `source.sql` run (decision 0039). The night starts it and kills it; it never outlives the
 * night, and does nothing that it wasn't told to.
 */
import { writeFile } from 'node:fs/promises';
import { isAppError, messageFromError } from '../../../../runtime/errors.ts';
import { TooMuch } from '../../../source/source-settings.ts';
import { type Answer, type Order, READY, rejectedSection, type SelectOrder } from './messages.ts';
import { Sandbox } from './sandbox.ts';
import { StagedRows } from './staged-rows.ts';

let sandbox: Sandbox | undefined;

/** Ends at once: an orderly end would wait for the SELECT that is running. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function response(order: Order): Promise<Answer> {
  if ('settings' in order) {
    sandbox = await Sandbox.open(order.settings);
    return READY;
  }
  if (sandbox === undefined) throw new Error('a SELECT came before the settings');
  return select(order.select, sandbox);
}

async function select({ section, staged }: SelectOrder, within: Sandbox): Promise<Answer> {
  const rows = await StagedRows.open(staged);
  try {
    const missing = await within.run(section, rows);
    return missing === undefined ? { columns: await rows.finish() } : { missing };
  } catch (cause) {
    throw cause instanceof TooMuch ? rejectedSection(section, cause.message, 0, cause) : cause;
  } finally {
    rows.close();
  }
}

process.on('disconnect', end);
process.on('message', async (order: Order) => {
  const answered = await response(order).catch((error: unknown): Answer => {
    const message = messageFromError(error);
    return isAppError(error, 'source_rejected') ? { rejected: message } : { failed: message };
  });
  process.send?.(answered);
});
if (!process.connected) end();
// Where memory runs out, the kernel ends this process rather than the night. Not every system has this file.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
