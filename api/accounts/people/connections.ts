import type { Actor, Origin, Person, Session, TooMany } from './people.ts';

/**
 * Programs that a person lets ask for an organization over MCP (specification "Connected programs"). A connection is for one program, one
 * person and one organization, and ends with the person's membership.
 */
export interface Connection {
  /** `connection_` and a ULID: no secret. */
  readonly id: string;
  readonly organizationId: string;
  /** As the program calls itself: nobody has proven it. */
  readonly clientName: string;
  /** Who connected it. */
  readonly person: Person;
  readonly createdAt: Date;
  /** As keys have it: a few seconds late. */
  readonly lastUsedAt: Date | null;
}

export interface Connections {
  /** The same, done by `actor` from `origin`; undefined: from this machine. */
  as(actor: Actor, origin?: Origin): Connections;
  /** Those of an organization, newest first. Rejects with `not_found` where the actor does not belong to it. */
  list(organizationId: string): Promise<readonly Connection[]>;
  /**
   * Ends a connection with all its tokens, for every member; in force everywhere within 5 seconds. Rejects with `not_found` where it is
   * none of the organization's.
   */
  revoke(of: { readonly organizationId: string; readonly connectionId: string }): Promise<Connection>;
}

/** What a program asks a person for. */
export interface ConnectionRequest {
  /** As it calls itself. */
  readonly clientName: string;
  /** Where the browser goes afterwards: a host, `this computer`, or the scheme of an app. */
  readonly returnsTo: string;
}

/**
 * The OAuth 2.1 provider, as the console and whoever serves its routes use it. A query is what a page was opened with by the provider
 * and is signed by it: it holds for ten minutes.
 */
export interface Authorization {
  /** Undefined where the request was changed or is over, or its program is not known any more. */
  describe(query: string): Promise<ConnectionRequest | undefined>;
  /**
   * Connects the program to an organization of the session's person; resolves to the program's own address, where the browser goes.
   * Rejects with `not_found` where the person does not belong to it, and with `usage` where the request is over or was changed.
   */
  accept(
    query: string,
    as: { readonly session: Session; readonly cookies: string | undefined; readonly origin: Origin },
    organizationId: string,
  ): Promise<string>;
  /** Tells the program that it may not; resolves to its own address. Rejects with `usage` as `accept` does. */
  deny(query: string, as: { readonly cookies: string | undefined }): Promise<string>;
  /**
   * Registers a program (RFC 7591), and counts it; resolves to what it is answered. Of apps that are known by a scheme of their own the
   * addresses are taken as well.
   */
  register(registration: Readonly<Record<string, unknown>>, origin: Origin): Promise<Response | TooMany>;
  /** Whether a program is registered under this id. */
  knows(clientId: string): Promise<boolean>;
  /**
   * Answers what the protocol asks: authorization, tokens, revocation, as {@link OAUTH_PATHS} has them. A browser is sent to pages of the
   * console alone: what is refused there is told on one of them, and not by a redirect to an address that anybody can register (RFC 9700,
   * 4.11).
   */
  handle(request: Request): Promise<Response>;
}

/** Paths of the provider, below the service's address. */
export const OAUTH_PATHS = {
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  register: '/oauth2/register',
  revoke: '/oauth2/revoke',
} as const;

/** What a connection may do; there is nothing else yet. */
export const READ_SCOPE = 'read';
/** That it gets refresh tokens: without them a person would be asked every hour. */
export const REFRESH_SCOPE = 'offline_access';
