import { AppError } from '../../../runtime/errors.ts';
import { defineCommand, flag, optionalArgument } from '../../cli/command.ts';
import type { Progress } from '../../cli/terminal.ts';
import { openConfiguredStore, openUpkeep } from '../../config/configured-store.ts';

export const verifyStore = defineCommand({
  name: 'verify',
  description: 'Verify a snapshot: every file by its hash, its content by replay from the one before',
  arguments: { snapshot: optionalArgument('day of the snapshot (default: the newest)') },
  options: { all: flag('every snapshot') },
  examples: ['modelstats verify 2026-11-20'],
  notes: 'Exit code 1 if anything is wrong',
  async run(context, { snapshot, all }) {
    if (all && snapshot !== undefined) throw new AppError('usage', 'give a snapshot or --all, not both');
    const { config, printResult, paint, showProgress } = context;
    const { verify } = await import('../../../pipeline/upkeep/verify.ts');
    const store = await openConfiguredStore(config, 'read');
    let progress: Progress | undefined;
    const days = all ? 'all' : 'newest';
    const result = await verify(snapshot === undefined ? days : [snapshot], {
      ...(await openUpkeep(context)),
      store,
      onPlan: (total) => {
        progress = showProgress({ total });
      },
      onSnapshot: (day) => progress?.next(day),
    }).finally(() => progress?.stop());
    const { ok, problems, snapshots, replayed } = result;
    printResult(result, () =>
      [
        ...problems.map((problem) => `${paint.red('wrong')} ${problem.snapshot}: ${problem.message}`),
        `${ok ? paint.green('ok') : paint.red(`${problems.length} problems`)}: ${snapshots} snapshots, ${replayed} verified by replay from the one before`,
      ].join('\n'),
    );
    return ok ? 0 : 1;
  },
});
