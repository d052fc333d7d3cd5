/**
 * All reasons why the service refuses or fails. Codes are stable and for programs; messages are for people and never
 * parsed. The command line maps a code to an exit code, the API to a response.
 */
export const ERROR_CODES = {
  /** Wrong arguments or options of a command. */
  usage: { exit: 2 },
  /** Wrong or unknown MODELSTATS_* settings. */
  configuration: { exit: 2 },
  /**
   * The guard stopped the night: the day looks like an upstream mistake, and an operator must accept it (specification
   * "Guard").
   */
  held: { exit: 3 },
  /** The day's source is unreadable or has too many bad rows; nothing was published (specification "Bad rows"). */
  source_rejected: { exit: 4 },
  /** The object store is unreachable, read-only or full. */
  store_unavailable: { exit: 1 },
  not_found: { exit: 1 },
  /** A conditional write failed: another process wrote first. */
  precondition_failed: { exit: 1 },
  /** Bytes in the store differ from what is recorded about them. */
  corrupt: { exit: 1 },
  /** Temporary: nothing published yet, overload, or a service behind it is down. */
  unavailable: { exit: 1 },
  /** A defect of this program. */
  internal_error: { exit: 1 },
} as const satisfies Record<string, { exit: number }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** Facts for logs and reports; the message must be clear without them. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What may be made public: no path, host, bucket or key. Default: the code alone. */
  readonly publicMessage?: string;
  readonly retryAfterSeconds?: number;
}

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

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}

/** Of an `AggregateError` without a message, those of its errors. */
export function messageFromError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map(messageFromError).join('; ');
}

/** The code of the system or driver, such as `ENOENT`, or an empty string. */
export function codeFromError(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
