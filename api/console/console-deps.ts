import { setting, wholeNumber } from '../../runtime/setting.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Accounts } from '../accounts/open-accounts.ts';
import type { People } from '../accounts/people/open-people.ts';
import type { CapabilityStates } from '../data/access/rights.ts';
import type { SurfaceDeps } from '../data/app.ts';
import type { DataResponses } from '../data/responses/data-responses.ts';
import type { StopLinks } from '../digests/digests.ts';
import type { Integrations } from '../integrations/integrations.ts';
import type { DeliveryLog } from '../webhooks/delivery-log.ts';
import type { EndpointAdministration } from '../webhooks/endpoint-administration.ts';

export interface ConsoleDeps {
  readonly accounts: Accounts;
  readonly people: People;
  readonly webhooks: ConsoleWebhooks;
  readonly integrations: ConsoleIntegrations;
  /** Undefined if they are not offered at all. */
  readonly digests: ConsoleDigests | undefined;
  readonly capabilities: CapabilityStates;
  readonly clock: () => Date;
  /** Signs the tokens of forms: 32 bytes, the same in all processes. */
  readonly formKey: Buffer;
  readonly settings: ConsoleSettings;
}

export interface ConsoleSettings {
  /** Public `scheme://host`; undefined: from each request. */
  readonly publicUrl: string | undefined;
  /** Per person, since pages cost no quota. */
  readonly pagesPerMinute: number;
}

/** Endpoints and deliveries, changed on behalf of an actor. */
export interface ConsoleWebhooks {
  endpointsAs(actor: Actor): EndpointAdministration;
  logAs(actor: Actor): DeliveryLog;
}

/** Declared pages, managed on behalf of an actor. */
export interface ConsoleIntegrations {
  as(actor: Actor): Integrations;
}

/** Digests by email. */
export interface ConsoleDigests {
  readonly stopLinks: StopLinks;
  /** Of the UTC day, at which they are due. */
  readonly hour: number;
  /** Why none can be sent, for people; undefined if they can. */
  readonly problem: string | undefined;
}

export interface PageDeps extends Omit<ConsoleDeps, 'formKey'> {
  /** The API's own responses. */
  readonly answers: DataResponses;
  readonly views: SurfaceDeps['views'];
}

export const CONSOLE_SETTINGS = {
  pagesPerMinute: setting('CONSOLE_PAGES_MAX', wholeNumber(1, 100_000), {
    fallback: 120,
    text: 'pages and forms of the console per person and minute',
  }),
};
