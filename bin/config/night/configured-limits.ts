import type { CaptureLimits } from '../../../pipeline/source/source-settings.ts';
import type { Config } from '../config.ts';

/** What a source may take of the machine. */
export function configuredLimits(config: Config): CaptureLimits {
  return {
    lineBytesMax: config.LINE_BYTES_MAX,
    fileBytesMax: config.FILE_BYTES_MAX,
    rowsMax: config.ROWS_MAX,
    ratioMax: config.RATIO_MAX,
    sqlTimeoutMs: config.SOURCE_SQL_TIMEOUT_SECONDS * 1000,
  };
}
