import { readModels, type Suggestion, suggestAliases } from '../../../pipeline/source/suggest-aliases.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { duckdbSettings } from '../../config/configured-duckdb.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

export interface SuggestOptions {
  /** Upstreams whose names are kept apart, separated by commas. */
  readonly upstreams: string;
  readonly json?: boolean;
}

/** `modelstats aliases suggest`: names of the newest snapshot that may be one model, for a person to decide. */
export async function suggest({ config, print }: CommandContext, options: SuggestOptions): Promise<number> {
  const { upstreams, json = false } = options;
  const found = await readModels(await openConfiguredStore(config, 'read'), duckdbSettings(config));
  if (found === undefined) throw new AppError('not_found', 'nothing is published yet: there are no names to compare');
  const names = upstreams.split(',').map((name) => name.trim());
  const suggestions = suggestAliases(found.models, names);
  print(json ? JSON.stringify({ day: found.day, suggestions }) : describe(suggestions));
  return 0;
}

/** A line of the table each, with its reason behind it. */
function describe(suggestions: readonly Suggestion[]): string {
  if (suggestions.length === 0) return 'No two names look like one model.';
  const lines = suggestions.map(
    ({ upstream, id, model_id, why }) => `${[upstream, id, model_id].map(csvCell).join(',')}  ${paint.dim(why)}`,
  );
  const pairs = suggestions.length === 1 ? '1 pair' : `${suggestions.length} pairs`;
  return [...lines, `${pairs}. Look at each: maker, version and effort have to be the same.`].join('\n');
}

function csvCell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
