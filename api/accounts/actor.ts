/**
 * Who acts: one type for the checks of rights and for the audit log. A {@link PersonActor} may do what their role in an
 * organization allows; an {@link OperatorActor} may do everything. Programs that ask for data act for nobody: see `Caller`.
 */
export type Actor = PersonActor | OperatorActor;

/** Somebody who is signed in. */
export interface PersonActor {
  readonly person: Pick<Person, 'id' | 'email'>;
  readonly origin: Pick<Origin, 'address'>;
}

/** Somebody at the command line of this machine, or the service itself. */
export interface OperatorActor {
  /** `cli:` and the user of the operating system, or `system`. */
  readonly operator: string;
}

/** The service itself. */
export const SYSTEM: OperatorActor = { operator: 'system' };

export interface Person {
  /** `person_` and a ULID. */
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly createdAt: Date;
}

/** From where somebody acts. */
export interface Origin {
  /** Of the client, as the server believes it (behind trusted proxies: the one that they name). */
  readonly address: string;
  /** The header as it came; only its beginning is kept. */
  readonly userAgent: string | undefined;
  /** Tells one browser from others: 43 characters of base64url that nobody else can know. Undefined where it has not been here before. */
  readonly browser?: string | undefined;
}

/** The actor's name in the audit log: {@link OperatorActor.operator}, or `person:` and an address of mail. */
export function auditName(actor: Actor): string {
  return 'operator' in actor ? actor.operator : `person:${actor.person.email}`;
}

/** The client address that the actor acts from; null: this machine. */
export function addressOf(actor: Actor): string | null {
  return 'operator' in actor ? null : actor.origin.address;
}
