import { writeFile } from 'node:fs/promises';
import { collect } from './collect.ts';
import { withCopy } from './service.ts';

/**
 * Takes the first score out of a copy as something else would: what the copy says of itself stays as it is.
 * @param path of a file for the others, until they are in the copy
 */
export async function loseScore(into: string, path: string): Promise<void> {
  await withCopy(into, async (copy) => {
    const state = await copy.state();
    if (state === undefined) throw new Error('there is no state');
    const rest = (await collect(copy.lines('scores', state.schema_version))).slice(1);
    await writeFile(path, rest.map((line) => `${line}\n`).join(''));
    const nothing = { upserts: {}, deletes: {}, events: undefined, dropsEvents: false };
    await copy.update({ ...nothing, replaced: { scores: path }, state });
  });
}
