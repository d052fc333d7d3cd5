/**
 * Who acts, for permission checks and the audit log. A {@link PersonActor} has the rights of their role; an {@link
 * OperatorActor} has all.
 */
export type Actor = PersonActor | OperatorActor;

/** A signed-in user. */
export interface PersonActor {
  readonly person: Pick<Person, 'id' | 'email'>;
  readonly origin: Pick<Origin, 'address'>;
}

/** The operator at this machine's command line, or the service itself. */
export interface OperatorActor {
  /** `cli:` and the user of the operating system, or `system`. */
  readonly operator: string;
}

export const SYSTEM: OperatorActor = { operator: 'system' };

export interface Person {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly createdAt: Date;
}

/** Where an action comes from. */
export interface Origin {
  /** The client address; behind trusted proxies, the one they report. */
  readonly address: string;
  /** Only its beginning is stored. */
  readonly userAgent: string | undefined;
  /** Identifies the browser: 43 unguessable characters of base64url. Undefined on its first request. */
  readonly browser?: string | undefined;
}

export function auditName(actor: Actor): string {
  return 'operator' in actor ? actor.operator : `person:${actor.person.email}`;
}

/** The actor's client address; null: this machine. */
export function addressOf(actor: Actor): string | null {
  return 'operator' in actor ? null : actor.origin.address;
}
