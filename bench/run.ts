/** `make bench`: what DESIGN §12 promises of a night, measured. Prints tables and adds them to bench/RESULTS.md. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareWithFloor, measureChanges, measureStates } from './night-tables.ts';
import { appendResults, markdownFromTable, type ResultTable } from './results.ts';

const HELP = `usage: make bench, or npx tsx bench/run.ts [options]
  --scores N[,N…]   sizes of the state (default 1000000); 10000000 takes a quarter of an hour and 10 GB of disk
  --repeats N       nights, or pairs of floor and night, behind each figure (default 3)
  --only NAME       floor, changes or states
  --quick           a smoke run: small, one pair, nothing recorded
  --folder DIR      where to generate and publish (default: a new temporary folder; removed in the end)`;

const { values } = parseArgs({
  options: {
    scores: { type: 'string' },
    repeats: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    folder: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function run(workFolder: string): Promise<readonly ResultTable[]> {
  const scores = (values.scores ?? (values.quick ? '2000' : '1000000')).split(',').map(Number);
  const largest = Math.max(...scores);
  const repeats = Number(values.repeats ?? (values.quick ? 1 : 3));
  const options = { folder: workFolder, repeats, progress: (text: string) => console.error(text) };
  const benches: Readonly<Record<string, () => Promise<ResultTable>>> = {
    floor: () => compareWithFloor(scores, options),
    changes: () => measureChanges(largest, values.quick ? [0.01, 1] : [0.001, 0.01, 0.1, 1], options),
    states: () => measureStates(values.quick ? [largest] : [largest / 100, largest / 10, largest], options),
  };
  const tables: ResultTable[] = [];
  for (const [name, bench] of Object.entries(benches)) {
    if (values.only === undefined || values.only === name) tables.push(await bench());
  }
  return tables;
}

if (values.help) {
  console.log(HELP);
} else {
  const folder = await mkdtemp(join(values.folder ?? tmpdir(), 'modelstats-bench-'));
  try {
    const tables = await run(folder);
    console.log(tables.map(markdownFromTable).join('\n'));
    if (!values.quick) await appendResults(join(import.meta.dirname, 'RESULTS.md'), new Date(), tables);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
