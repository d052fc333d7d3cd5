/**
 * Access rules of every route below `/v1` (specification "Order of checks"), independent of the HTTP server:
 * authentication (401) → burst (429) → capability (404) → backstop (429) → plan features (403). Data routes then charge
 * quota (429), for valid requests that get no 304; any status but 2xx and 302 refunds the unit. The backstop follows
 * the capability because a disabled route has none, like an unknown one (decision 0013).
 */

import { type Awaitable, mapAwaitable } from '../../../runtime/awaitable.ts';
import type { Surface } from '../../accounts/authentication.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Accounts } from '../../accounts/open-accounts.ts';
import type { Feature } from '../../accounts/organizations/plans.ts';
import { noSuchRoute } from '../../server/errors/error-response.ts';
import type { HttpError } from '../../server/errors/http-error.ts';
import { ApiError } from '../api-errors.ts';
import { Admission } from './admission.ts';
import { findMissingFeature, hideOutageReason, type KnownCaller, tooManyRequests } from './refusals.ts';
import { type Capability, type CapabilityStates, isLive } from './rights.ts';

/** Access rules of a route. */
export interface RouteAccess {
  /** As documented, such as `/v1/models/{id}`; names its backstop. */
  readonly name: string;
  readonly capability: Capability;
  /** Required of the plan; null: nothing. */
  readonly feature: Feature | null;
  /** The backstop: requests of one key in any 60 seconds, unless configured otherwise. */
  readonly limitPerMinute: number;
  /** `WWW-Authenticate` without a valid credential; default: `Bearer`. */
  readonly challenge?: (hasToken: boolean) => string;
}

export interface Credentials {
  readonly bearerToken: string | undefined;
  /** Undefined if the client has disconnected. */
  readonly clientAddress: string | undefined;
}

/** Configured backstops by route name. */
export type BackstopLimits = Readonly<Record<string, number>>;

export interface AccessDeps {
  readonly accounts: Accounts;
  readonly capabilities: CapabilityStates;
  readonly backstop: BackstopLimits;
  /** Counts a failed attempt; rejects with `rate_limit_exceeded` after too many. */
  readonly countFailure: (clientAddress: string | undefined) => Promise<void>;
  readonly clock: () => Date;
}

/** What all admissions of a request share. */
type AdmittedRequest = Pick<Admission, 'caller' | 'burst' | 'hasLimits'>;

export class AccessControl {
  readonly #deps: AccessDeps;

  constructor(deps: AccessDeps) {
    this.#deps = deps;
  }

  /**
   * All checks before validation; `route` is undefined for an unknown one. A valid key always gets an admission, so
   * that refusals carry limit headers. Otherwise rejects with `unauthenticated` or `rate_limit_exceeded`. `hasMethod:
   * false` skips the feature check, because the server refuses the method first.
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

  /** Admits one of several route calls of a request, without another check of credential and burst limit. */
  admitPart(parent: AdmittedRequest, route: RouteAccess): Awaitable<Admission> {
    return this.#admissionOf(parent, route, {});
  }

  #admissionOf(
    known: AdmittedRequest,
    route: RouteAccess | undefined,
    { hasMethod = true, refusal: first }: { readonly hasMethod?: boolean; readonly refusal?: HttpError | undefined },
  ): Awaitable<Admission> {
    const live = route !== undefined && this.isAvailable(known, route) ? route : undefined;
    const isData = live !== undefined && live.capability !== 'account' && live.capability !== 'mcp';
    const { caller, burst, hasLimits } = known;
    return mapAwaitable(
      first ?? this.#findRefusal(live, known, hasMethod),
      (refusal) => new Admission({ caller, route: live?.name, burst, isData, hasLimits, refusal }, this.#deps),
    );
  }

  #authenticate(credentials: Credentials, route: RouteAccess | undefined): Awaitable<Caller> {
    const surface: Surface = route?.capability === 'mcp' ? 'mcp' : 'api';
    const found = hideOutageReason(() => this.#deps.accounts.authenticate(credentials.bearerToken, surface));
    if (found !== undefined && !(found instanceof Promise)) return found;
    const { clientAddress } = credentials; // Read before waiting: the client may disconnect.
    return mapAwaitable(
      found,
      (caller) => caller ?? this.#refuseUnauthenticated(clientAddress, credentials.bearerToken, route),
    );
  }

  async #refuseUnauthenticated(
    clientAddress: string | undefined,
    bearerToken: string | undefined,
    route: RouteAccess | undefined,
  ): Promise<never> {
    await this.#deps.countFailure(clientAddress);
    throw new ApiError('unauthenticated', 'Send a valid API key as "Authorization: Bearer <API_KEY>"', {
      headers: { 'WWW-Authenticate': route?.challenge?.(bearerToken !== undefined) ?? 'Bearer' },
    });
  }

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
      if (state.refused) return tooManyRequests(state, known, `This key calls ${route.name} too often`);
      return hasMethod ? findMissingFeature(route.feature, caller) : undefined;
    });
  }

  /**
   * Whether a route exists for a caller. While `plans` is planned, a missing feature and the account look like unknown
   * routes, so that nothing reveals plans.
   */
  isAvailable({ caller, hasLimits }: KnownCaller, { capability, feature }: RouteAccess): boolean {
    if (!this.#isLive(capability, caller)) return false;
    return hasLimits || (capability !== 'account' && findMissingFeature(feature, caller) === undefined);
  }

  #isLive(capability: Capability, { organizationId }: Caller): boolean {
    return isLive(this.#deps.capabilities, capability, organizationId);
  }
}
