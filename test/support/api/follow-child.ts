import { ViewFolder } from '../../../api/view/follow/view-folder.ts';
import { ViewFollower } from '../../../api/view/follow/view-follower.ts';
import { FileStore } from '../../../storage/file/file-store.ts';

/** A process of its own that keeps a view of a store in a folder, and tells its parent each day that it serves. */
const [store = '', folder = ''] = process.argv.slice(2);
const settings = {
  duckdb: { memoryLimit: '300MB', threads: 1 },
  limits: { queriesMax: 1, queriesWaitingMax: 1, queryTimeoutMs: 20_000 },
  downloadsMax: 2,
  pollMs: 2,
  retryMaxMs: 2,
};
const follower = new ViewFollower(settings, {
  store: new FileStore(store),
  folder: await ViewFolder.acquire(folder),
  clock: () => new Date(),
  onEvent: () => {},
});
await follower.start();
for (let told = ''; ; await new Promise((resolve) => setTimeout(resolve, 2))) {
  const { day = '' } = follower.release ?? {};
  if (day !== told) process.send?.({ day });
  told = day;
}
