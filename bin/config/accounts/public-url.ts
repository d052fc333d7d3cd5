import { isThisMachine } from '../../../api/server/urls.ts';
import type { Config } from '../config.ts';

/** Where people find the service: as it is configured, else where it listens. */
export function publicUrlOf({ PUBLIC_URL, HOST, PORT, BASE_PATH }: Config): string {
  if (PUBLIC_URL !== undefined) return `${PUBLIC_URL}${BASE_PATH}`;
  const isAnywhere = HOST === '0.0.0.0' || HOST === '::';
  const host = HOST.includes(':') ? `[${HOST}]` : HOST;
  return `http://${isAnywhere ? 'localhost' : host}:${PORT}${BASE_PATH}`;
}

/**
 * The address of MCP for which access tokens are; undefined where MCP is off, and where they would travel in the clear: they need
 * https, or this machine.
 */
export function mcpResourceOf(config: Config): string | undefined {
  const url = new URL(`${publicUrlOf(config)}/mcp`);
  const isSafe = url.protocol === 'https:' || isThisMachine(url);
  return isSafe && config.CAPABILITIES.mcp !== 'planned' ? url.href : undefined;
}
