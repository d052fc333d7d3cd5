import { dayFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { noticeLog, openConfiguredNotices } from '../../config/night/configured-notices.ts';

/** `modelstats notify test`: sends a notice to everybody whom `MODELSTATS_NOTIFY` names; exit code 1 where one did not take it. */
export async function testNotify(
  context: CommandContext,
  { json = false }: { readonly json?: boolean },
): Promise<number> {
  const { print, clock, log } = context;
  const mailLog = {
    ...noticeLog(log),
    info: (fields: unknown, message?: unknown) => log(`${message} ${fileOf(fields)}`),
  };
  const notices = openConfiguredNotices(context, { log: mailLog });
  if (notices === undefined) throw new AppError('usage', 'MODELSTATS_NOTIFY names nobody: set it');
  const results = await notices.test(dayFromDate(clock()));
  const targets = results.map(({ target, tries, problem }) => ({
    target,
    ok: problem === undefined,
    tries,
    problem: problem ?? null,
  }));
  const ok = targets.every((target) => target.ok);
  if (json) print(JSON.stringify({ ok, targets }));
  else
    for (const { target, problem } of targets)
      print(
        `${problem === null ? paint.green('taken') : paint.red('not taken')} ${target}${problem === null ? '' : `: ${problem}`}`,
      );
  return ok ? 0 : 1;
}

/** Where a mail lies that no server took. */
function fileOf(fields: unknown): string {
  return fields !== null && typeof fields === 'object' && 'file' in fields ? String(fields.file) : '';
}
