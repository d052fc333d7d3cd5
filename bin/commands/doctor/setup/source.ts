import { resolve } from 'node:path';
import { loadFetchSettings, openSource } from '../../../../pipeline/source/open-source.ts';
import { listSourceDays } from '../../../../pipeline/source/source-folder.ts';
import { findUnfilled } from '../../../../pipeline/source/variables.ts';
import { dayFromDate } from '../../../../runtime/day.ts';
import { type Finding, fail, ok, type Setup } from '../finding.ts';

/** Whether the source can be read, as far as can be told without reading its rows or asking upstreams. */
export async function checkSource({ config, env, clock }: Setup): Promise<Finding | undefined> {
  if (config.SOURCE === undefined) return undefined;
  const root = resolve(config.SOURCE);
  const [days, toFetch] = [await listSourceDays(root), await loadFetchSettings(root)];
  const missing = toFetch?.fetch.flatMap((entry) => findUnfilled(entry, env)) ?? [];
  if (missing.length > 0)
    return fail(
      `${root} needs ${[...new Set(missing)].join(', ')}`,
      'set these variables: its README says what they are',
    );
  if (toFetch !== undefined)
    return ok(`${root} lists ${toFetch.fetch.length} files to fetch; modelstats source check reads it`);
  const day = days.at(-1) ?? dayFromDate(clock());
  const { datasets, sqlPath } = await openSource(root, day);
  const what = sqlPath === undefined ? datasets.map(({ dataset }) => dataset).join(', ') : 'source.sql';
  const where = days.length === 0 ? root : `${root} to ${day}`;
  return ok(`${where}: ${what}; modelstats source check reads it`);
}
