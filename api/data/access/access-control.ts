/**
 * Who may ask for what, and how often (specification "Order of checks"), for every route below `/v1`. It knows no server:
 * whatever takes requests admits them here, answers them, and sends the headers that the visit tells.
 *
 * authentication (401) → burst (429) → capability (404) → backstop (429) → the plan's features (403). Later, when a data route
 * has found its request in order and not fresh: quota (429). When the status is known, a unit is kept for 2xx and 302 and
 * given back otherwise, and the headers tell the state after that.
 *
 * The backstop is a route's own, so it comes after the capability: what is switched off has none, like any unknown route
 * (decision 0013).
 */

import { type Awaitable, mapAwaitable } from '../../../runtime/awaitable.ts';
import type { Way } from '../../accounts/authentication.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Accounts } from '../../accounts/open-accounts.ts';
import type { Feature } from '../../accounts/organizations/plans.ts';
import { noSuchRoute } from '../../server/errors/error-response.ts';
import type { HttpError } from '../../server/errors/http-error.ts';
import { ApiError } from '../api-errors.ts';
import { Admission } from './admission.ts';
import { findMissingFeature, hideOutageReason, type KnownCaller, tooManyRequests } from './refusals.ts';
import { type Capability, type CapabilityStates, isLive } from './rights.ts';

/** What a route asks of its callers. */
export interface RouteAccess {
  /** As in the documentation, such as `/v1/models/{id}`; names the route's backstop. */
  readonly name: string;
  readonly capability: Capability;
  /** What the plan must include; null: nothing. */
  readonly feature: Feature | null;
  /** The backstop: requests of one key in any 60 seconds, unless configured otherwise. */
  readonly limitPerMinute: number;
  /** What `WWW-Authenticate` says to whoever sent no valid credential; default: to send a bearer token. */
  readonly challenge?: (hasToken: boolean) => string;
}

/** Who asks: the bearer token and the client's address. */
export interface Credentials {
  readonly bearerToken: string | undefined;
  /** Against which failed attempts are counted; undefined for a client that has hung up. */
  readonly clientAddress: string | undefined;
}

/** Backstops that differ from the routes' own, by the name of the route. */
export type BackstopLimits = Readonly<Record<string, number>>;

export interface AccessDeps {
  readonly accounts: Accounts;
  readonly capabilities: CapabilityStates;
  readonly backstop: BackstopLimits;
  /** Counts an attempt without a valid key against the client's address; rejects with `rate_limit_exceeded`. */
  readonly countFailure: (clientAddress: string | undefined) => Promise<void>;
  readonly clock: () => Date;
}

/** What the parts of a request have in common. */
type AdmittedRequest = Pick<Admission, 'caller' | 'burst' | 'hasLimits'>;

export class AccessControl {
  readonly #deps: AccessDeps;

  constructor(deps: AccessDeps) {
    this.#deps = deps;
  }

  /**
   * Everything before validation; `route` is undefined for one that doesn't exist. Who sends a valid key always gets a visit,
   * one that is refused too, so that the refusal carries the headers of limits; without one it rejects with `unauthenticated`,
   * or with `rate_limit_exceeded` after too many attempts. A method that the path does not have is refused by whoever took the
   * request, before the plan's feature would be.
   */
  admit(
    credentials: Credentials,
    route: RouteAccess | undefined,
    { hasMethod = true }: { readonly hasMethod?: boolean } = {},
  ): Awaitable<Admission> {
    return mapAwaitable(this.#authenticate(credentials, route), (caller) =>
      mapAwaitable(this.#deps.accounts.burst.hit(caller), (burst) => {
        const known = { caller, burst, hasLimits: this.#isLive('plans', caller) };
        const refusal =
          burst.refused && known.hasLimits
            ? tooManyRequests(burst, known, 'Your organization sends too many requests')
            : undefined;
        return this.#admissionOf(known, route, { hasMethod, refusal });
      }),
    );
  }

  /**
   * One answer of several that a request asks for: the route's own rules, as if it were asked alone, but neither the credential nor
   * the burst limit again. `whole` is the visit of the request.
   */
  admitPart(whole: AdmittedRequest, route: RouteAccess): Awaitable<Admission> {
    return this.#admissionOf(whole, route, {});
  }

  #admissionOf(
    known: AdmittedRequest,
    route: RouteAccess | undefined,
    { hasMethod = true, refusal: first }: { readonly hasMethod?: boolean; readonly refusal?: HttpError | undefined },
  ): Awaitable<Admission> {
    const live = route !== undefined && this.isThere(known, route) ? route : undefined;
    const isData = live !== undefined && live.capability !== 'account' && live.capability !== 'mcp';
    const { caller, burst, hasLimits } = known;
    return mapAwaitable(
      first ?? this.#findRefusal(live, known, hasMethod),
      (refusal) => new Admission({ caller, route: live?.name, burst, isData, hasLimits, refusal }, this.#deps),
    );
  }

  #authenticate(credentials: Credentials, route: RouteAccess | undefined): Awaitable<Caller> {
    const way: Way = route?.capability === 'mcp' ? 'mcp' : 'api';
    const found = hideOutageReason(() => this.#deps.accounts.authenticate(credentials.bearerToken, way));
    if (found !== undefined && !(found instanceof Promise)) return found;
    const { clientAddress } = credentials; // Before anything is waited for: the client may be gone then.
    return mapAwaitable(
      found,
      (caller) => caller ?? this.#refuseStranger(clientAddress, credentials.bearerToken, route),
    );
  }

  async #refuseStranger(
    clientAddress: string | undefined,
    bearerToken: string | undefined,
    route: RouteAccess | undefined,
  ): Promise<never> {
    await this.#deps.countFailure(clientAddress);
    throw new ApiError('unauthenticated', 'Send a valid API key as "Authorization: Bearer <API_KEY>"', {
      headers: { 'WWW-Authenticate': route?.challenge?.(bearerToken !== undefined) ?? 'Bearer' },
    });
  }

  /** Why a caller within the burst limit is refused; undefined: the request may go on. */
  #findRefusal(
    route: RouteAccess | undefined,
    known: KnownCaller,
    hasMethod: boolean,
  ): Awaitable<HttpError | undefined> {
    if (route === undefined) return noSuchRoute();
    const { caller, hasLimits } = known;
    const limit = this.#deps.backstop[route.name] ?? route.limitPerMinute;
    const hit = this.#deps.accounts.backstop.hit(caller, { route: route.name, limit, isFixed: !hasLimits });
    return mapAwaitable(hit, (state) => {
      if (state.refused) return tooManyRequests(state, known, `This key asks ${route.name} too often`);
      return hasMethod ? findMissingFeature(route.feature, caller) : undefined;
    });
  }

  /**
   * Whether a route is there for a caller; it costs nothing to ask. Where plans are planned nothing may tell of one: what the plan lacks
   * looks like an unknown route, and so does the account, which is about little else.
   */
  isThere({ caller, hasLimits }: KnownCaller, { capability, feature }: RouteAccess): boolean {
    if (!this.#isLive(capability, caller)) return false;
    return hasLimits || (capability !== 'account' && findMissingFeature(feature, caller) === undefined);
  }

  #isLive(capability: Capability, { organizationId }: Caller): boolean {
    return isLive(this.#deps.capabilities, capability, organizationId);
  }
}
