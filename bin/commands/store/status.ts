import Table from 'cli-table3';
import pc from 'picocolors';
import { readStatus, type Status } from '../../../pipeline/upkeep/status.ts';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { duckdbSettings } from '../../config/configured-duckdb.ts';
import { openConfiguredStore } from '../../config/configured-store.ts';

export interface StatusOptions {
  readonly json?: boolean;
}

/** `modelstats status`: what the store holds and which prices wait for an operator. */
export async function status({ config, print }: CommandContext, { json = false }: StatusOptions): Promise<number> {
  const found = await readStatus(await openConfiguredStore(config, 'read'), duckdbSettings(config));
  print(json ? JSON.stringify(found) : describe(found));
  return 0;
}

function describe({ store, snapshots, first_day, newest, suspects, missing_files }: Status): string {
  if (newest === null) return `${store} holds no snapshots yet; publish one with: modelstats nightly --source DIR`;
  const records = DATASET_NAMES.map((name) => `${newest.records[name]} ${name}`).join(', ');
  const lines = [
    `${pc.bold(store)}: ${snapshots} snapshots, ${first_day} to ${newest.day}`,
    `newest ${newest.day}, published ${newest.published_at}: ${records}`,
    `feed: last seq ${newest.last_seq}, cursor ${newest.manifest.change_cursor}`,
    ...missing_files.map(
      ({ file, upstream, since, problem }) => `${pc.red('missing')} since ${since}: ${file} of ${upstream}: ${problem}`,
    ),
  ];
  if (suspects.length === 0) return lines.join('\n');
  return [
    ...lines,
    `${suspects.length} suspect prices are held back (let one in: --accept-suspect ID):`,
    tableOf(suspects),
  ].join('\n');
}

function tableOf(suspects: Status['suspects']): string {
  const table = new Table({
    head: ['ID', 'input', 'output', 'breaks', 'since', 'days'],
    style: { head: [], border: [] },
  });
  for (const suspect of suspects) {
    const { entity_id, input_per_million, output_per_million, rule, since, days } = suspect;
    table.push([`pricing:${entity_id}`, input_per_million ?? '', output_per_million ?? '', rule, since, days]);
  }
  return table.toString();
}
