import { resolve } from 'node:path';
import { type Correction, correct } from '../../../pipeline/upkeep/correct.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { describeChanges } from '../../cli/describe-changes.ts';
import { assertEmptyFolder } from '../../cli/empty-folder.ts';
import { paint } from '../../cli/paint.ts';
import { duckdbSettings } from '../../config/configured-duckdb.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

export interface CorrectOptions {
  readonly day: string;
  readonly into?: string;
  readonly json?: boolean;
}

/** `modelstats correct DAY [--into DIR]`: what a published day changed, and the records before it as a source for the next night. */
export async function correctDay(context: CommandContext, options: CorrectOptions): Promise<number> {
  const { config, clock, print } = context;
  const into = options.into === undefined ? undefined : resolve(options.into);
  if (into !== undefined) await assertEmptyFolder(into);
  const store = await openConfiguredStore(config, 'read');
  const found = await correct({ day: options.day, into }, { store, duckdb: duckdbSettings(config), clock });
  print(options.json ? JSON.stringify(found) : describe(found));
  return 0;
}

function describe({ day, before, datasets, into, next_day, next_command, warnings }: Correction): string {
  const next =
    into === null
      ? `to publish what was there before: modelstats correct ${day} --into DIR`
      : `${into} has the records of ${before}. What the night of ${next_day} would make of them:\n  ${next_command}`;
  return [
    paint.bold(`what ${day} changed since ${before}`),
    describeChanges(datasets),
    ...warnings.map((warning) => `${paint.yellow('warning')}: ${warning}`),
    next,
  ].join('\n');
}
