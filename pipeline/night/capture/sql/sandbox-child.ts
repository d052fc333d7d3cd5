/**
 * The process in which the SELECTs of a `source.sql` run (decision 0039). The night starts it, kills it, and is never
 * outlived by it.
 */
import { writeFile } from 'node:fs/promises';
import { isAppError, messageFromError } from '../../../../runtime/errors.ts';
import { TooMuch } from '../../../source/source-settings.ts';
import { type Order, READY, rejectedSection, type SandboxResponse, type SelectOrder } from './messages.ts';
import { Sandbox } from './sandbox.ts';
import { StagedRows } from './staged-rows.ts';

let sandbox: Sandbox | undefined;

/** At once: an orderly exit would wait for the running SELECT. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function response(order: Order): Promise<SandboxResponse> {
  if ('settings' in order) {
    sandbox = await Sandbox.open(order.settings);
    return READY;
  }
  if (sandbox === undefined) throw new Error('a SELECT came before the settings');
  return select(order.select, sandbox);
}

async function select({ section, staged }: SelectOrder, within: Sandbox): Promise<SandboxResponse> {
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
  const result = await response(order).catch((error: unknown): SandboxResponse => {
    const message = messageFromError(error);
    return isAppError(error, 'source_rejected') ? { rejected: message } : { failed: message };
  });
  process.send?.(result);
});
if (!process.connected) end();
// When memory runs out, the kernel ends this process, not the night. Linux only.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
