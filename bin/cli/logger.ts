import { destination, type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/**
 * The log of a command that runs on: JSON Lines on stderr. Written at once, so that nothing is lost when the process ends;
 * a scheduler has few lines. A busy one is written in blocks, the last of them when the process ends in order.
 */
export function createLogger({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>, { isBusy = false } = {}): Logger {
  return pino(
    {
      level: LOG_LEVEL,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: levelName },
      hooks: { streamWrite: withoutKeys },
    },
    destination({ dest: process.stderr.fd, sync: !isBusy }),
  );
}

function levelName(level: string) {
  return { level };
}

/** The last line of defence: whatever was logged, an API key is not in it. */
function withoutKeys(line: string): string {
  return line.includes('msk_') ? line.replaceAll(/msk_[0-9A-Za-z]+/g, 'msk_…') : line;
}
