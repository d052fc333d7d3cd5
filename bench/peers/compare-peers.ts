import { join } from 'node:path';
import type { Measured } from '../measure.ts';
import { measureFloor, measureNight, prepareNight } from '../night.ts';
import { CHANGED, memoryFor, type NightBenchOptions } from '../night-tables.ts';
import { gigabytes, median, type ResultTable, seconds } from '../results.ts';
import { findPython, measurePeer, PEERS } from './peers.ts';

type Used = Pick<Measured, 'wallMs' | 'cpuMs' | 'peakBytes'>;

/**
 * The night beside plain scripts that do its work without checks and without a proof, and beside the floor; each once in every
 * round, so that all see the same machine. Without Python, or what it needs, the table has the first two alone and says why.
 */
export async function comparePeers(
  scores: number,
  { folder, repeats, progress, mayInstall }: NightBenchOptions & { readonly mayInstall: boolean },
): Promise<ResultTable> {
  const found = await findPython({ mayInstall });
  if ('missing' in found) progress(`peers: left out, ${found.missing}`);
  progress(`peers: publishing the first day of ${scores} scores`);
  const stageInput = { folder: join(folder, 'peers'), scores, changed: CHANGED, memoryLimit: memoryFor(scores) };
  const stage = await prepareNight(stageInput);
  const rounds: ReadonlyMap<string, Used>[] = [];
  for (let round = 1; round <= repeats; round += 1) {
    const night = await measureNight(stage);
    const { writeMs, writeCpuMs, peakBytes } = await measureFloor(stage, night);
    const used = new Map<string, Used>([
      ['floor', { wallMs: writeMs, cpuMs: writeCpuMs, peakBytes }],
      ['modelstats nightly', night],
    ]);
    for (const peer of PEERS) {
      if ('missing' in found) break;
      used.set(peer.name, await measurePeer(peer, { python: found.python, stage, night }));
    }
    rounds.push(used);
    progress(`  round ${round}: ${[...used].map(([name, { wallMs }]) => `${name} ${seconds(wallMs)} s`).join(', ')}`);
  }
  return {
    title: `A night with ${scores} scores, 1 % of them changed, and plain scripts that neither check nor prove`,
    columns: ['program', 'wall s', 'of the night', 'processor s', 'of the night', 'peak memory GB'],
    rows: [...(rounds[0]?.keys() ?? [])].map((name) => [name, ...cells(rounds, name)]),
    note: noteFor(repeats, 'missing' in found ? found.missing : undefined),
  };
}

function cells(rounds: readonly ReadonlyMap<string, Used>[], name: string): readonly string[] {
  const pairs = rounds.flatMap((round) => {
    const [one, night] = [round.get(name), round.get('modelstats nightly')];
    return one === undefined || night === undefined ? [] : [{ one, night }];
  });
  const middle = (value: (pair: { readonly one: Used; readonly night: Used }) => number) => median(pairs.map(value));
  return [
    seconds(middle(({ one }) => one.wallMs)),
    middle(({ one, night }) => one.wallMs / night.wallMs).toFixed(2),
    seconds(middle(({ one }) => one.cpuMs)),
    middle(({ one, night }) => one.cpuMs / night.cpuMs).toFixed(2),
    gigabytes(Math.max(...pairs.map(({ one }) => one.peakBytes))),
  ];
}

function noteFor(rounds: number, missing: string | undefined): string {
  const text =
    'Goal: faster than each script. All write the sorted records as `jsonl.gz` of level 6 and hash both sides. The floor starts with ' +
    `typed rows in memory; the others are whole processes. Medians of ${rounds} rounds; the largest peak.`;
  return missing === undefined ? text : `${text} The scripts are left out: ${missing}`;
}
