import { dayFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { commandGroup, defineCommand } from '../../cli/command.ts';

const test = defineCommand({
  name: 'test',
  description: 'Send a test to everybody whom MODELSTATS_NOTIFY names, and tell how each went',
  examples: ['MODELSTATS_NOTIFY=https://hooks.example.com/night modelstats notify test'],
  notes: 'Exit codes: 0 all have taken it, 1 one has not, 2 nobody is named',
  async run(context) {
    const { answer: response, clock, log, paint } = context;
    const { noticeLog, openConfiguredNotices } = await import('../../config/configured-notices.ts');
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
    response({ ok, targets }, () =>
      targets
        .map(({ target, problem }) =>
          problem === null ? `${paint.green('taken')} ${target}` : `${paint.red('not taken')} ${target}: ${problem}`,
        )
        .join('\n'),
    );
    return ok ? 0 : 1;
  },
});

export const notify = commandGroup('notify', 'Look after who is told of nights', [test]);

/** Where a mail lies that no server took. */
function fileOf(fields: unknown): string {
  return fields !== null && typeof fields === 'object' && 'file' in fields ? String(fields.file) : '';
}
