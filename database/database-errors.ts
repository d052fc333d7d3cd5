import { AppError, isAppError, messageFromError } from '../../schemas/errors.ts';

/** What a driver threw, as `unavailable` with what was tried; AppErrors stay as they are. */
export function unavailable(error: unknown, what = 'the control database does not answer'): AppError {
  if (isAppError(error)) return error;
  return new AppError('unavailable', `${what}: ${messageFromError(error)}`, { cause: error });
}

/** Runs work on the database; what its driver throws becomes `unavailable`. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}
