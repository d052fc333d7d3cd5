import { destination, type Logger, pino } from 'pino';
import { API_KEY_PREFIX } from '../../accounts/keys/api-key.ts';
import type { Config } from '../config/config.ts';

/**
 * The log of a command that keeps running: JSON Lines on stderr. Each line is written at once, so that none is lost when the
 * process is killed. With `isBusy`, for a log of many lines, they are written in blocks, the last when the process ends by itself.
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

const KEYS = new RegExp(`${API_KEY_PREFIX}[0-9A-Za-z]+`, 'g');

/** Nothing should log an API key; where something does all the same, the key is cut out here. */
function withoutKeys(line: string): string {
  return line.includes(API_KEY_PREFIX) ? line.replaceAll(KEYS, `${API_KEY_PREFIX}…`) : line;
}
