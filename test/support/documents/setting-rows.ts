import type { Setting } from '../../../runtime/setting.ts';

/** The table of settings in docs/configuration.md, as they are declared. */
export function settingRows(settings: readonly Setting[]): readonly string[] {
  const rows = settings.map(({ name, text, ...setting }) => [`\`MODELSTATS_${name}\``, defaultOf(setting), text]);
  return [
    '| setting | default | meaning |',
    '| --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ];
}

function defaultOf({ documented, fallback }: Pick<Setting, 'documented' | 'fallback'>): string {
  if (documented !== undefined) return documented;
  if (fallback === undefined) return 'none';
  return /^\d+$/.test(fallback) ? fallback : `\`${fallback}\``;
}
