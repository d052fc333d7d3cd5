/**
 * The results of work that goes on at once, in its order. Rejects with the first failure in that order, and only when all of it has
 * ended: whoever is told may remove the files and close the database that the rest was still using.
 */
export async function allEnded<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
