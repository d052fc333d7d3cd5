import { listValue } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DATASETS } from '../../../schemas/datasets.ts';
import { Database } from '../../../storage/duckdb/database.ts';
import { boolean } from '../../../storage/duckdb/row-shape.ts';
import { useFolder } from '../../../test/support/temporary-folder.ts';
import { rowRules } from './typed-rows.ts';

let database: Database;
const folder = useFolder();
beforeAll(async () => {
  database = await Database.open(':memory:', { memoryLimit: '500MB', threads: 1, tempFolder: folder() });
});
afterAll(() => database.close());

async function breaks(reason: string, ids: readonly string[]): Promise<readonly boolean[]> {
  const rule = rowRules(DATASETS.models).find((candidate) => candidate.column === 'id' && candidate.reason === reason);
  const rows = await database.rows(
    { is_broken: boolean },
    `SELECT coalesce(${rule?.sql}, false) AS is_broken FROM (SELECT unnest($1) AS id)`,
    [listValue(ids)],
  );
  return rows.map(({ is_broken }) => is_broken);
}

/** Every character of the basic plane but halves of pairs, which are no characters. */
const CHARACTERS = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => character.isWellFormed() && character !== '\0',
);

describe('an id', () => {
  test.each<[string, (character: string) => string]>([
    ['begins', (character) => `${character}gpt-4`],
    ['ends', (character) => `gpt-4${character}`],
    ['is alone', (character) => character],
  ])('is refused for white space around it exactly where ECMAScript would trim it: %s', async (_, idFrom) => {
    const ids = CHARACTERS.map(idFrom);
    const expected = ids.map((id) => id.trim() !== id);
    expect(await breaks('has white space around it', ids)).toEqual(expected);
    expect(expected).toContain(true);
  });

  test('may have white space within it', async () => {
    expect(await breaks('has white space around it', ['GPT 4', 'a\u3000b', 'é b'])).toEqual([false, false, false]);
  });
});
