import { verify } from '../../../pipeline/upkeep/verify/verify.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { type Progress, showProgress } from '../../cli/progress.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { openUpkeep } from './open-upkeep.ts';

export interface VerifyOptions {
  readonly snapshot?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `modelstats verify [SNAPSHOT] [--all]`: proves snapshots by hash and replay; exit code 1 where anything is wrong. */
export async function verifyStore(context: CommandContext, options: VerifyOptions): Promise<number> {
  if (options.all && options.snapshot !== undefined) throw new AppError('usage', 'name a snapshot or --all, not both');
  const { config, print } = context;
  const store = await openConfiguredStore(config, 'read');
  let progress: Progress | undefined;
  const days = options.all ? 'all' : 'newest';
  const result = await verify(options.snapshot === undefined ? days : [options.snapshot], {
    ...(await openUpkeep(context)),
    store,
    onPlan: (total) => {
      progress = showProgress(context, { total });
    },
    onSnapshot: (day) => progress?.next(day),
  }).finally(() => progress?.stop());
  if (options.json) print(JSON.stringify(result));
  else {
    for (const { snapshot, message } of result.problems) print(`${paint.red('wrong')} ${snapshot}: ${message}`);
    const counts = `${result.snapshots} snapshots, ${result.replayed} proven by replay from the one before`;
    print(`${result.ok ? paint.green('ok') : paint.red(`${result.problems.length} problems`)}: ${counts}`);
  }
  return result.ok ? 0 : 1;
}
