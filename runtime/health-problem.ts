/** Why a part of the service doesn't do its work, in the words of `/health/ready` (specification "Health and metrics"). */
export interface HealthProblem<Code extends string = string> {
  /** Stable and machine-readable. */
  readonly code: Code;
  /** For people; what may not be public in it is taken out where it is told. */
  readonly message: string;
  readonly since: Date;
}
