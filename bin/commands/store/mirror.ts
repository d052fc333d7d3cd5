import { defineCommand, required } from '../../cli/command.ts';
import { textValue } from '../../cli/option-values.ts';
import { recordStoreAction } from '../../config/configured-accounts.ts';
import { openConfiguredStore, openUpkeep } from '../../config/configured-store.ts';

export const mirrorStore = defineCommand({
  name: 'mirror',
  description: 'Make a second store equal to this one: copy what is missing, remove what prune removed here',
  options: { to: required('<store>', 'the second store: empty, or a mirror of this one', textValue) },
  examples: ['modelstats mirror --to s3://mirror/modelstats'],
  notes: 'Run it after every night; after a kill it continues',
  async run(context, { to, json }) {
    const { config, printResult, log, paint } = context;
    const { mirror } = await import('../../../pipeline/upkeep/mirror.ts');
    const origin = await openConfiguredStore(config, 'read');
    const second = await openConfiguredStore(config, 'write', { url: to });
    await recordStoreAction(context, { action: 'store.mirror', store: second.url, details: { origin: origin.url } });
    const progress = context.showProgress({ total: 1 });
    progress.next('mirror');
    const result = await mirror({
      ...(await openUpkeep(context)),
      from: origin,
      to: second,
      copiesMax: config.uploads.uploadsMax,
      onRelease: progress.part,
    }).finally(progress.stop);
    const { store, releases, newest, copied, bytes, removed } = result;
    const done = `${copied} objects copied (${bytes} bytes), ${removed} removed`;
    printResult(result, `${paint.green('equal')} ${store}: ${releases} snapshots to ${newest}; ${done}`);
    for (const warning of json ? [] : result.warnings) log(warning);
    return 0;
  },
});
