/**
 * Runs the oracle over the real days, `npx tsx test/night-oracle/run-real.ts [folder of dated folders]`: one JSON object per
 * day on stdout, findings on stderr. Of the nights that are held those of ACCEPTED_DAYS alone are accepted.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatasetName } from '../../schemas/datasets.ts';
import { ACCEPTED_DAYS, REAL_DATA } from '../support/real-data.ts';
import { canonicalLine, entityId, sha256 } from './canonical.ts';
import { loadDay } from './load-day.ts';
import { oracleNight } from './night-oracle.ts';
import { readRow } from './row-rules.ts';
import type { OracleDay, OracleNight, OracleState } from './state.ts';
import { perDataset } from './state.ts';

const [folder = REAL_DATA] = process.argv.slice(2);

if (folder !== undefined && existsSync(folder)) runAll(folder);
else console.error(`no data at ${folder ?? 'REAL_DATA'}: skipped`);

function runAll(root: string): void {
  const started = performance.now();
  const days = readdirSync(root).filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name));
  let state: OracleState | undefined;
  const lists = { sorted: 0, unsorted: 0 };
  for (const name of days.sort()) {
    const day = loadDay(join(root, name));
    countLists(day, lists);
    let night = oracleNight(state, day);
    const heldFor = night.verdict === 'held' ? night.reasons : [];
    if (night.verdict === 'held' && ACCEPTED_DAYS.includes(name)) night = oracleNight(state, { ...day, accept: true });
    state = night.state;
    console.log(JSON.stringify({ day: name, ...summary(night, day), held_for: heldFor }));
    for (const row of night.quarantined) console.error(`${name} quarantined ${JSON.stringify(row)}`);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`${days.length} days in ${seconds} s; inference lists ${JSON.stringify(lists)}`);
}

function summary(night: OracleNight, day: OracleDay): object {
  const { state, lines, events, closed } = night;
  return {
    verdict: night.verdict,
    rows: perDataset((dataset) => day.rows[dataset]?.length ?? null),
    records: perDataset((dataset) => lines[dataset].length),
    content_sha256: perDataset((dataset) => sha256(lines[dataset].join(''))),
    events: {
      upsert: events.filter(({ op }) => op === 'upsert').length,
      delete: events.filter(({ op }) => op === 'delete').length,
    },
    last_seq: state.lastSeq,
    events_sha256: sha256(events.map(canonicalLine).join('')),
    closed: perDataset((dataset) => closed.filter((interval) => interval.dataset === dataset).length),
    carried: perDataset((dataset) => countCarried(state, dataset)),
    quarantined: perDataset((dataset) => night.quarantined.filter((row) => row.dataset === dataset).length),
    orphans: perDataset((dataset) => night.orphans.filter((row) => row.dataset === dataset).length),
    suspects: night.suspects,
    pending: [...state.pending.values()].map(({ key, ...rest }) => ({ entity_id: entityId(key), ...rest })),
  };
}

/** Records whose own row was set aside, or may have been: no history point today. */
function countCarried(state: OracleState, dataset: DatasetName): number {
  return [...state.records[dataset].values()].filter(({ validFrom }) => validFrom === null).length;
}

/** How many of the source's inference texts are trimmed, distinct and sorted already. */
function countLists(day: OracleDay, lists: { sorted: number; unsorted: number }): void {
  for (const row of day.rows.models ?? []) {
    const text = typeof row === 'object' && row !== null && 'inference' in row ? row.inference : null;
    if (typeof text !== 'string') continue;
    const canonical = readRow('models', row).values['inference'];
    if (Array.isArray(canonical) && canonical.join(',') === text) lists.sorted += 1;
    else lists.unsorted += 1;
  }
}
