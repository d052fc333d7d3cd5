/**
 * Every way in which the service refuses or fails, as one closed set of codes.
 *
 * A code is stable and machine-readable; the message is for people and is never parsed. The command line
 * maps a code to an exit code, the API to an answer; nothing else does.
 */
export const ERROR_CODES = {
  /** A command was called with words or settings that make no sense. */
  usage: { exit: 2 },
  /** MODELSTATS_* settings are wrong or unknown. */
  configuration: { exit: 2 },
  /**
   * The guard holds the night: the day looks like a mistake upstream, an operator has to accept it (specification "Guard").
   */
  held: { exit: 3 },
  /** The day's source can't be read or has too many bad rows; nothing was published (specification "Bad rows"). */
  source_rejected: { exit: 4 },
  /** The object store failed or refused: unreachable, read-only, full. */
  store_unavailable: { exit: 1 },
  /** Something that should be in the store isn't. */
  not_found: { exit: 1 },
  /** A conditional write lost: somebody else wrote first. */
  precondition_failed: { exit: 1 },
  /** Bytes in the store are not what they are recorded to be. */
  corrupt: { exit: 1 },
  /** Can't be answered now, but may be soon: nothing published yet, too busy, or a service behind it is down. */
  unavailable: { exit: 1 },
  /** A defect of ours. */
  internal_error: { exit: 1 },
} as const satisfies Record<string, { exit: number }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** Facts for logs and reports; never needed to understand the message. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What anybody may be told of it: no path, host, bucket or key. Default: nothing but the code. */
  readonly publicMessage?: string;
  /** After how many seconds it may be worth trying again, where that is known. */
  readonly retryAfterSeconds?: number;
}

/** An expected failure: a code for programs and a message for people. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly publicMessage: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.publicMessage = options.publicMessage;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** True for an {@link AppError} with this code. */
export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}

/** The message of anything that was thrown; of several at once that have none together, that of each. */
export function messageFromError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map(messageFromError).join('; ');
}

/** The system's or a driver's code of an error (`ENOENT`), the empty string where it has none. */
export function codeFromError(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
