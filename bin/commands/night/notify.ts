import { dayFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { commandGroup, defineCommand } from '../../cli/command.ts';

const test = defineCommand({
  name: 'test',
  description: 'Send a test notice to all targets of MODELSTATS_NOTIFY, and show each result',
  examples: ['MODELSTATS_NOTIFY=https://hooks.example.com/night modelstats notify test'],
  notes: 'Exit codes: 0 all accepted it, 1 a target did not, 2 no target is set',
  async run(context) {
    const { printResult, clock, log, paint } = context;
    const { noticeLog, openConfiguredNotices } = await import('../../config/configured-notices.ts');
    const mailLog = {
      ...noticeLog(log),
      info: (fields: unknown, message?: unknown) => log(`${message} ${fileOf(fields)}`),
    };
    const notices = openConfiguredNotices(context, { log: mailLog });
    if (notices === undefined) throw new AppError('usage', 'MODELSTATS_NOTIFY is not set');
    const results = await notices.test(dayFromDate(clock()));
    const targets = results.map(({ target, tries, problem }) => ({
      target,
      ok: problem === undefined,
      tries,
      problem: problem ?? null,
    }));
    const ok = targets.every((target) => target.ok);
    printResult({ ok, targets }, () =>
      targets
        .map(({ target, problem }) =>
          problem === null ? `${paint.green('accepted')} ${target}` : `${paint.red('failed')} ${target}: ${problem}`,
        )
        .join('\n'),
    );
    return ok ? 0 : 1;
  },
});

export const notify = commandGroup('notify', 'Manage notices of nights', [test]);

function fileOf(fields: unknown): string {
  return fields !== null && typeof fields === 'object' && 'file' in fields ? String(fields.file) : '';
}
