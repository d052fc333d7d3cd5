/**
 * Lets consumer.py follow all real days, `npx tsx test/consumer/run-real.ts [folder of dated folders]`: one JSON object on stdout
 * with the events, the deletions, and those that the plain way of matching missed.
 */
import { readdirSync } from 'node:fs';
import { REAL_DATA } from '../support/real-data.ts';
import { followInPython } from './python.ts';

const [folder = REAL_DATA] = process.argv.slice(2);

if (folder === undefined) {
  console.error('no data at REAL_DATA: skipped');
} else {
  const days = readdirSync(folder).filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name));
  console.log(JSON.stringify(await followInPython(folder, days.sort())));
}
