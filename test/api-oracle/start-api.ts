import type { Day } from '../../schemas/day.ts';
import type { RunningApi } from './oracle-server.ts';

/** False until {@link startApi} is filled in; the tests that need it are skipped till then. */
export const IS_API_THERE: boolean = false;

/**
 * Starts the API in this process on a free port, without keys and limits, over the file store in this folder, with its
 * clock standing on this UTC day.
 *
 * TO BE FILLED IN when `api/` exists.
 */
export function startApi(_storeFolder: string, _today: Day): Promise<RunningApi> {
  throw new Error('there is no API yet');
}
