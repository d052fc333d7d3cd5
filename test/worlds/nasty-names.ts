import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import type { Chooser } from '../support/random.ts';

const UPSTREAMS = ['models-dev', 'shop', 'a.b-c_d'];
/** Names that are easily taken for something else: an id of another model, a quote, a comma, a wildcard, another case. */
const NAMES = ['plain', 'PLAIN', 'a, "quoted" name', '""', '%', '_', "O'Brien", 'É/ü', '🦙', '\uffee', 'N'.repeat(200)];
const NAMES_OF_A_DAY = 40;

/** Writes the settings of a source that keeps a table of names in the folder of every day. */
export async function writeNamingSettings(folder: string): Promise<void> {
  const upstreams = UPSTREAMS.map((id) => ({ id, name: id, url: 'https://upstream.test' }));
  await writeFile(join(folder, 'source.json'), JSON.stringify({ aliases: 'aliases.csv', upstreams }));
}

/** Writes a day's table: names of these models, of models that never are, and every third day none. */
export async function writeNames(folder: string, day: Day, { models, choose }: NamesInput): Promise<void> {
  const lines = new Map<string, string>();
  const count = Number(day.slice(-2)) % 3 === 0 ? 0 : NAMES_OF_A_DAY;
  for (let n = 0; n < count; n += 1) {
    const upstream = choose.pick(UPSTREAMS.slice(1));
    const name = choose.chance(0.6) ? choose.pick(NAMES) : `Name ${choose.integer(0, 30)}`;
    const model = choose.chance(0.1) ? `never/${n}` : choose.pick(models);
    lines.set(`${upstream} ${name}`, [upstream, name, model].map((field) => quoted(field, choose)).join(','));
  }
  await writeFile(join(folder, day, 'aliases.csv'), ['upstream,id,model_id', ...lines.values(), ''].join('\n'));
}

interface NamesInput {
  readonly models: readonly string[];
  readonly choose: Chooser;
}

function quoted(field: string, choose: Chooser): string {
  return /[",]/.test(field) || choose.chance(0.3) ? `"${field.replaceAll('"', '""')}"` : field;
}
