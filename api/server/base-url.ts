import type { FastifyRequest } from 'fastify';

/** A name, an IPv4 address or an IPv6 address in brackets, with or without a port. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,253})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
/** A name in which nothing can be wrong that only a parser of URLs sees: most are, and parsing takes some ten times as long. */
const PLAIN_NAME = /^(?:\w+(?:-\w+)*\.)*[a-z]\w*(?:-\w+)*(?::\d{1,4})?$/i;

/** True for what a Host header may say, and an address may be made of: `a.1` and `a:99999` are in no URL. */
export function isHost(text: string | undefined): boolean {
  return text !== undefined && HOST.test(text) && (PLAIN_NAME.test(text) || URL.canParse(`http://${text}`));
}

/** `scheme://host/prefix` of a request. */
export type BaseUrlOf = (request: FastifyRequest) => string;

/**
 * `scheme://host/prefix` as callers see it, for links in answers. A request whose Host header is no host gets the prefix
 * alone: nothing that isn't one finds its way into a link.
 */
export function baseUrlFrom({
  publicUrl,
  basePath,
}: {
  readonly publicUrl: string | undefined;
  readonly basePath: string;
}): BaseUrlOf {
  if (publicUrl !== undefined) return () => publicUrl + basePath;
  return (request) => {
    const host = request.host || localHost(request);
    const scheme = request.protocol === 'https' ? 'https' : 'http';
    return isHost(host) ? `${scheme}://${host}${basePath}` : basePath;
  };
}

/** Where a request without a Host header arrived. */
function localHost({ socket }: FastifyRequest): string {
  const { localAddress = '', localPort } = socket;
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
