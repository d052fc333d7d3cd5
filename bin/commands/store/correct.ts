import { resolve } from 'node:path';
import type { Correction } from '../../../pipeline/upkeep/correct.ts';
import { argument, type CommandContext, defineCommand, option } from '../../cli/command.ts';
import { describeChanges } from '../../cli/describe-changes.ts';
import { assertEmptyFolder, textValue } from '../../cli/option-values.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

export const correctDay = defineCommand({
  name: 'correct',
  description: 'Show what a published day changed, and export the records before it for the next night',
  arguments: { day: argument('the wrong published day') },
  options: { into: option('<dir>', 'a new folder for the records before that day, to use as a source', textValue) },
  examples: ['modelstats correct 2026-11-20 --into ./before'],
  async run(context, { day, into: folder }) {
    const { config, clock } = context;
    const into = folder === undefined ? undefined : resolve(folder);
    if (into !== undefined) await assertEmptyFolder(into);
    const { correct } = await import('../../../pipeline/upkeep/correct.ts');
    const store = await openConfiguredStore(config, 'read');
    const found = await correct({ day, into }, { store, duckdb: config.duckdb, clock });
    context.printResult(found, () => describe(context, found));
    return 0;
  },
});

function describe(
  { paint, tableText }: CommandContext,
  { day, before, datasets, into, next_day, next_command, warnings }: Correction,
): string {
  const next =
    into === null
      ? `to publish the records before it: modelstats correct ${day} --into DIR`
      : `${into} has the records of ${before}. To preview the night of ${next_day} with them:\n  ${next_command}`;
  return [
    paint.bold(`what ${day} changed since ${before}`),
    describeChanges(datasets, tableText),
    ...warnings.map((warning) => `${paint.yellow('warning')}: ${warning}`),
    next,
  ].join('\n');
}
