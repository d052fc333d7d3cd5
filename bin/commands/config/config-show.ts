import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { SETTING_GROUPS } from '../../config/setting-groups.ts';
import { type ShownSetting, shownSettings } from './shown-settings.ts';

export interface ConfigShowOptions {
  readonly changed?: boolean;
  readonly json?: boolean;
}

/** `modelstats config show`: every setting with the value in force and where it comes from; secrets are masked. */
export async function showConfig(
  { config, env, print }: Pick<CommandContext, 'config' | 'env' | 'print'>,
  { changed = false, json = false }: ConfigShowOptions,
): Promise<number> {
  const settings = shownSettings(config, env).filter(({ source }) => !changed || source !== 'default');
  print(json ? JSON.stringify({ settings }) : describe(settings));
  return 0;
}

function describe(settings: readonly ShownSetting[]): string {
  if (settings.length === 0) return 'nothing is set: every setting has its default';
  const width = Math.max(...settings.map(({ name }) => name.length));
  const sections = SETTING_GROUPS.map(({ title }) => ({
    title,
    lines: settings.filter(({ group }) => group === title).map((setting) => lineOf(setting, width)),
  }));
  return sections
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => [paint.bold(title), ...lines].join('\n'))
    .join('\n\n');
}

function lineOf({ name, value, source }: ShownSetting, width: number): string {
  const shown = value ?? 'not set';
  const line = `  ${name.padEnd(width)}  ${shown}`;
  return source === 'default' ? paint.dim(line) : `${line}  ${paint.dim(`(${source})`)}`;
}
