import { AppError, isAppError, messageFromError } from '../../../runtime/errors.ts';

/** What a driver threw, as `unavailable` with what was tried; AppErrors stay as they are. */
export function unavailable(error: unknown, what = 'the control database does not answer'): AppError {
  if (isAppError(error)) return error;
  const publicMessage = 'The database behind this service does not answer; try again in a moment';
  return new AppError('unavailable', `${what}: ${messageFromError(error)}`, { cause: error, publicMessage });
}

/** Runs work on the database; what its driver throws becomes `unavailable`. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}

/** True where SQLite refused because another process writes; nothing of the statement or transaction was done then. */
export function isSqliteBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_BUSY');
}
