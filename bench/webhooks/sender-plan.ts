/** What one sender process is to do. */
export interface SenderPlan {
  /** Where the bare loop posts. */
  readonly url: string;
  readonly secret: string;
  /** In hex. */
  readonly secretKey: string;
  readonly deliveries: number;
  /** Requests under way at once. */
  readonly inFlight: number;
  /** Of the control database where deliveries wait; absent: the bare loop. */
  readonly database?: string;
}

export interface SenderResult {
  readonly deliveries: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}
