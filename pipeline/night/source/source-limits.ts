import type { SourceSettings } from '../../source/source-settings.ts';

/** What a file of a source may take of the machine. */
export interface ScanLimits {
  /** Longest line of a JSON Lines or CSV file, in bytes. */
  readonly lineBytesMax: number;
  /** Largest file after unpacking, and largest rows of a dataset, in bytes. */
  readonly fileBytesMax: number;
  /** Most rows of a dataset. */
  readonly rowsMax: number;
  /** How many times its own size a file may become, unpacked or in the database; see {@link unpackedBytesMax}. */
  readonly ratioMax: number;
}

/** What a source may take of the machine. */
export interface CaptureLimits extends ScanLimits {
  /** For one SELECT of `source.sql`. */
  readonly sqlTimeoutMs: number;
}

/** Up to this size a file's ratio doesn't matter: small files of equal rows are packed well. */
const RATIO_FREE_BYTES = 64 * 1024 * 1024;

/** What a file of so many bytes may become when it is unpacked or read, in bytes. */
export function unpackedBytesMax(bytes: number, { fileBytesMax, ratioMax }: ScanLimits): number {
  return Math.min(fileBytesMax, Math.max(RATIO_FREE_BYTES, Math.floor(bytes * ratioMax)));
}

/** An operator's limits, each lowered to what the source itself sets: a source can never raise one. */
export function limitsFromSettings(limits: CaptureLimits, settings: SourceSettings): CaptureLimits {
  return {
    ...limits,
    rowsMax: Math.min(limits.rowsMax, settings.max_rows ?? limits.rowsMax),
    fileBytesMax: Math.min(limits.fileBytesMax, settings.max_file_bytes ?? limits.fileBytesMax),
    ratioMax: Math.min(limits.ratioMax, settings.max_ratio ?? limits.ratioMax),
    sqlTimeoutMs: Math.min(limits.sqlTimeoutMs, (settings.sql_timeout_seconds ?? Number.POSITIVE_INFINITY) * 1000),
  };
}

/** More came out of a source than its limits allow; the message says what, for whoever knows where from. */
export class TooMuch extends Error {}
