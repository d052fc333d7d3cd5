import type { ReleasePart } from '../../schemas/catalog.ts';
import type { ListedObject } from '../../storage/object-store.ts';

/** Objects that go together, and why. */
export interface Removal {
  /** `<day>.<run>` of a release, `pricing.<run>` of a backfill. */
  readonly name: string;
  /** A part of a live release, a whole release that is not live, or a backfill that is not in force. */
  readonly what: ReleasePart | 'orphan' | 'backfill';
  readonly reason: string;
  /** In the order in which they are to be deleted. */
  readonly keys: readonly string[];
  readonly bytes: number;
}

/** The objects' part of a removal. */
export function contentOf(objects: readonly ListedObject[]): Pick<Removal, 'keys' | 'bytes'> {
  return { keys: objects.map(({ key }) => key), bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0) };
}
