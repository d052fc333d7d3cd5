import type { Suggestion } from '../../../pipeline/source/suggest-aliases.ts';
import { AppError } from '../../../runtime/errors.ts';
import { type CommandContext, commandGroup, defineCommand, optionOr } from '../../cli/command.ts';
import { textValue } from '../../cli/option-values.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

/** `sources/public` keeps their names apart until an alias joins them. */
const JOINED_UPSTREAMS = 'epoch,genai-prices,litellm,livebench,lmarena';

const suggest = defineCommand({
  name: 'suggest',
  description: 'List names of the newest snapshot that may be one model, for a person to decide; changes nothing',
  options: {
    upstreams: optionOr(
      JOINED_UPSTREAMS,
      '<list>',
      'upstreams whose names are separate, as <upstream>:<name>',
      textValue,
    ),
  },
  examples: ['modelstats aliases suggest > suggested.csv'],
  async run(context, { upstreams }) {
    const { config } = context;
    const { readModels, suggestAliases } = await import('../../../pipeline/source/suggest-aliases.ts');
    const found = await readModels(await openConfiguredStore(config, 'read'), config.duckdb);
    if (found === undefined) throw new AppError('not_found', 'nothing is published yet: there are no names to compare');
    const names = upstreams.split(',').map((name) => name.trim());
    const suggestions = suggestAliases(found.models, names);
    context.printResult({ day: found.day, suggestions }, () => describe(context, suggestions));
    return 0;
  },
});

export const aliases = commandGroup('aliases', 'Manage the names of models', [suggest]);

/** A line of the table per suggestion, with its reason. */
function describe({ paint }: CommandContext, suggestions: readonly Suggestion[]): string {
  if (suggestions.length === 0) return 'No two names look like one model.';
  const lines = suggestions.map(
    ({ upstream, id, model_id, why }) => `${[upstream, id, model_id].map(csvCell).join(',')}  ${paint.dim(why)}`,
  );
  const pairs = suggestions.length === 1 ? '1 pair' : `${suggestions.length} pairs`;
  return [...lines, `${pairs}. Check each: maker, version and effort must be the same.`].join('\n');
}

function csvCell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
