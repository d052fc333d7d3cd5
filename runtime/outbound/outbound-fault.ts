import { errors } from 'undici';

export type OutboundReason = 'blocked' | 'timeout' | 'tls' | 'dns' | 'connection' | 'redirect';

/** Why there was no answer, in words for whoever supplied the address. */
export class OutboundFault extends Error {
  override readonly name = 'OutboundFault';
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** OpenSSL's names for what can be wrong with a certificate, and Node's for a failed handshake. */
const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERROR_IN_|INVALID_|PATH_LENGTH_|HOSTNAME_)/;
const TIMEOUT_CODE = /^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;

const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes from an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes from an authority that is not trusted here',
};

const CONNECTION_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENETUNREACH: 'can not be reached from here',
  EHOSTUNREACH: 'can not be reached from here',
  EADDRNOTAVAIL: 'can not be reached from here',
  UND_ERR_HEADERS_OVERFLOW: 'sent a head that is too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent an answer of another length than it told',
};

/** What became of a request to a host, in our own words whatever the network and the HTTP client call it. */
export function faultFrom(error: unknown, host: string): OutboundFault {
  if (error instanceof OutboundFault) return error;
  const code = codeOf(error);
  const options = { cause: error };
  if (TIMEOUT_CODE.test(code))
    return new OutboundFault('timeout', `${host} did not accept a connection in time`, options);
  if (TLS_CODE.test(code)) return new OutboundFault('tls', tlsMessage(code, host), options);
  if (error instanceof errors.HTTPParserError) {
    return new OutboundFault('connection', `${host} sent what is no HTTP`, options);
  }
  const problem = CONNECTION_PROBLEMS[code] ?? 'closed the connection before its answer was whole';
  return new OutboundFault('connection', `${host} ${problem}`, options);
}

const UNREACHABLE_CODE = /^(?:ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/;

/** Whether a request came to no host at all: its name wasn't resolved, or no connection was made. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof OutboundFault ? error.reason === 'dns' : UNREACHABLE_CODE.test(codeOf(error));
}

function tlsMessage(code: string, host: string): string {
  const isHandshake = /^(?:ERR_SSL_|EPROTO$)/.test(code);
  if (isHandshake) return `no TLS connection with ${host} could be made`;
  return `the certificate of ${host} ${CERTIFICATE_PROBLEMS[code] ?? 'could not be verified'}`;
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors.at(-1)); // One error per address.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
