import { openTestApi } from '../../api/testing/test-api.ts';
import type { Day } from '../../schemas/day.ts';
import type { RunningApi } from './oracle-server.ts';

/** Starts the API in this process on a free port over the file store in this folder, with its clock standing on this UTC day. */
export async function startApi(storeFolder: string, today: Day): Promise<RunningApi> {
  const api = await openTestApi(`file:${storeFolder}`, { now: () => new Date(`${today}T12:00:00Z`) });
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  return { url, stop: () => api.close() };
}
