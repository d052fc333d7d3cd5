import { mirror } from '../../../pipeline/upkeep/mirror.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { showProgress } from '../../cli/progress.ts';
import { noteStoreAction } from '../../config/accounts/configured-accounts.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';
import { openUpkeep } from './open-upkeep.ts';

export interface MirrorOptions {
  readonly to: string;
  readonly json?: boolean;
}

/** `modelstats mirror --to STORE`: makes a second store equal to this one (specification "Second store"). */
export async function mirrorStore(context: CommandContext, { to, json = false }: MirrorOptions): Promise<number> {
  const { config, print, log } = context;
  const [origin, second] = [
    await openConfiguredStore(config, 'read'),
    await openConfiguredStore(config, 'write', { url: to }),
  ];
  await noteStoreAction(context, { action: 'store.mirror', store: second.url, details: { origin: origin.url } });
  const progress = showProgress(context, { total: 1 });
  progress.next('mirror');
  const result = await mirror({
    ...(await openUpkeep(context)),
    from: origin,
    to: second,
    copiesMax: config.UPLOADS_MAX,
    random: Math.random,
    onRelease: progress.part,
  }).finally(progress.stop);
  const { store, releases, newest, copied, bytes, removed } = result;
  const done = `${copied} objects copied (${bytes} bytes), ${removed} removed`;
  print(
    json ? JSON.stringify(result) : `${paint.green('equal')} ${store}: ${releases} snapshots to ${newest}; ${done}`,
  );
  for (const warning of json ? [] : result.warnings) log(warning);
  return 0;
}
