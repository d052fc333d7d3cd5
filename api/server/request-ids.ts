import { randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';

/** Random bytes drawn at once. One draw for each letter of an id would cost more than the rest of a cached answer. */
const POOL_BYTES = 4096;

/** Makes request ids, ULIDs. */
export function requestIds(): () => string {
  const pool = Buffer.alloc(POOL_BYTES);
  let next = POOL_BYTES;
  const random = () => {
    if (next === POOL_BYTES) {
      randomFillSync(pool);
      next = 0;
    }
    next += 1;
    return (pool[next - 1] ?? 0) / 256;
  };
  return () => ulid(undefined, random);
}
