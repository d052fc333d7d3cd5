/** CSV from JSON (specification "CSV"). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { csvCell, csvLine } from '../../../runtime/csv.ts';
import type { JsonText } from '../../view/view.ts';
import { readFields, textFrom } from './json-text.ts';

/** Characters of JSON that are read at once. Larger: other requests wait longer. */
const READ_AT_ONCE = 500_000;

/**
 * The records of a JSON array. Numbers and dates are as in JSON, lists and objects their JSON text. A field that is null or missing is
 * empty, empty text is quoted.
 * @param fields the columns
 * @param json text with the array
 * @param at where the array begins
 */
export async function readCsv(
  fields: readonly string[],
  json: JsonText,
  at: number,
): Promise<{ readonly csv: string; readonly end: number }> {
  const lines = [csvLine(fields.map(csvCell))];
  const columns = new Map(fields.map((field, column) => [field, column]));
  const empty = fields.map(() => '');
  let next = at + 1;
  for (let pause = at + READ_AT_ONCE; json[next] !== ']'; ) {
    const cells = [...empty];
    next = readFields(json, next, (name, value) => {
      const column = columns.get(name);
      if (column !== undefined) cells[column] = cellFrom(value);
    });
    lines.push(csvLine(cells));
    if (json[next] === ',') next += 1;
    if (next < pause) continue;
    pause = next + READ_AT_ONCE;
    await nextTurn();
  }
  return { csv: lines.join(''), end: next + 1 };
}

function cellFrom(value: JsonText): string {
  if (value === 'null') return '';
  return csvCell(value.startsWith('"') ? textFrom(value) : value);
}
