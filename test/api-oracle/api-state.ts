import type { Day } from '../../schemas/day.ts';
import type { StoredSnapshots } from './stored-snapshots.ts';
import type { World } from './world.ts';

/** All that an answer depends on: what was published, and what the server knows besides. */
export interface ApiState {
  readonly world: World;
  /** The UTC day at which the server's clock stands. */
  readonly today: Day;
  /** What only the store can tell of a snapshot (compressed size and hash, publication); null: its shape alone is checked. */
  readonly stored: StoredSnapshots | null;
}
