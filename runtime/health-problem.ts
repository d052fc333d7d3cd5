/** Why a part of the service doesn't work, as `/health/ready` reports it (specification "Health and metrics"). */
export interface HealthProblem<Code extends string = string> {
  /** Stable and machine-readable. */
  readonly code: Code;
  /** For people; what may not be public is removed before it is shown. */
  readonly message: string;
  readonly since: Date;
}
