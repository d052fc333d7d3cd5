import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { type FetchRecord, readFetchRecord } from '../../fetch/day/fetch-record.ts';
import { isWhole } from '../../fetch/day/whole-files.ts';
import { DAY_FILES } from '../../source/fetch-list/fetch-paths.ts';

/**
 * What was fetched into a day's folder; undefined where nothing was. Rejects with `source_rejected` where the fetch has not ended, or
 * a file is no longer what was fetched: a night reads nothing that is half or another.
 */
export async function findFetched(folder: string, day: Day): Promise<FetchRecord | undefined> {
  const path = join(folder, DAY_FILES.fetched);
  if ((await lstat(path).catch(() => undefined)) === undefined) return undefined;
  const record = await readFetchRecord(folder);
  if (record?.day !== day) {
    const why = record === undefined ? 'it can not be read as one' : `it is of ${record.day}`;
    const remedy = 'fetch the day again, or remove it: without it the files count as your own';
    throw new AppError('source_rejected', `${path} is no record of a fetch of ${day}, ${why}; ${remedy}`);
  }
  if (record.finished_at === null) {
    const missing = record.files.filter(({ status }) => status === 'failed').map(({ file }) => file);
    const why = missing.length === 0 ? 'it was ended early' : `${missing.join(', ')} could not be fetched`;
    throw new AppError('source_rejected', `${folder}: its fetch is not whole, ${why}; fetch the day again`);
  }
  for (const file of record.files) {
    if (file.status === 'failed' || (await isWhole(folder, file))) continue;
    throw new AppError(
      'source_rejected',
      `${join(folder, file.file)} is not what ${DAY_FILES.fetched} says was fetched`,
    );
  }
  return record;
}
