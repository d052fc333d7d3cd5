import { type CommandContext, commandGroup, defineCommand, flag } from '../cli/command.ts';
import type { ShownSetting } from '../config/shown-settings.ts';

const showConfig = defineCommand({
  name: 'show',
  description: 'Show all settings with their values and origins; secrets are masked',
  options: { changed: flag('only those that are set') },
  examples: ['modelstats config show --changed'],
  async run(context, { changed = false }) {
    const { shownSettings } = await import('../config/shown-settings.ts');
    const settings = shownSettings(context.config, context.env).filter(
      ({ source }) => !changed || source !== 'default',
    );
    context.printResult({ settings }, () => describe(context, settings));
    return 0;
  },
});

export const config = commandGroup('config', 'Show the settings', [showConfig]);

function describe(context: CommandContext, settings: readonly ShownSetting[]): string {
  if (settings.length === 0) return 'nothing is set: every setting has its default';
  const width = Math.max(...settings.map(({ name }) => name.length));
  const groups = [...new Set(settings.map(({ group }) => group))];
  return groups
    .map((title) => {
      const lines = settings.filter(({ group }) => group === title).map((setting) => lineOf(context, setting, width));
      return [context.paint.bold(title), ...lines].join('\n');
    })
    .join('\n\n');
}

function lineOf({ paint }: CommandContext, { name, value, source }: ShownSetting, width: number): string {
  const line = `  ${name.padEnd(width)}  ${value ?? 'not set'}`;
  return source === 'default' ? paint.dim(line) : `${line}  ${paint.dim(`(${source})`)}`;
}
