export interface UpstreamFaultOptions {
  /** Whether another try may help. */
  readonly mayPass: boolean;
  /** How long the upstream wants to be left alone, in milliseconds, where it says so. */
  readonly waitMs?: number | undefined;
  /** Whether the request came to no host at all: nothing resolved its name, or took its connection. */
  readonly isUnreachable?: boolean | undefined;
}

/**
 * Why a file could not be had from its upstream, in words for the operator. They name hosts and numbers, never what was sent or
 * received: either may hold a secret.
 */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault';
  readonly mayPass: boolean;
  readonly waitMs: number | undefined;
  readonly isUnreachable: boolean;

  constructor(message: string, { mayPass, waitMs, isUnreachable = false }: UpstreamFaultOptions) {
    super(message);
    this.mayPass = mayPass;
    this.waitMs = waitMs;
    this.isUnreachable = isUnreachable;
  }
}

/** A fault that time may mend: the network, a busy server, an answer that was cut off. */
export function passingFault(message: string): UpstreamFault {
  return new UpstreamFault(message, { mayPass: true });
}

/** A fault that is the same tomorrow. */
export function lastingFault(message: string): UpstreamFault {
  return new UpstreamFault(message, { mayPass: false });
}
