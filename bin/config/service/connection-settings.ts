import type { ConnectionSettings } from '../../../api/server/connections.ts';
import type { Config } from '../config.ts';

/** What a connection may take of a server of ours. */
export function connectionSettings(config: Config): ConnectionSettings {
  return {
    headersTimeoutMs: config.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    pipelinedMax: config.PIPELINED_MAX,
    sendTimeoutMs: config.SEND_TIMEOUT_MS,
    sendBytesMin: config.SEND_BYTES_MIN,
    keepAliveTimeoutMs: config.KEEP_ALIVE_TIMEOUT_MS,
  };
}
