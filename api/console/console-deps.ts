import { setting, wholeNumber } from '../../runtime/setting.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Accounts } from '../accounts/open-accounts.ts';
import type { People } from '../accounts/people/open-people.ts';
import type { CapabilityStates } from '../data/access/rights.ts';
import type { SurfaceDeps } from '../data/app.ts';
import type { DataResponses } from '../data/responses/data-responses.ts';
import type { Integrations } from '../integrations/integrations.ts';
import type { DeliveryLog } from '../webhooks/delivery-log.ts';
import type { EndpointAdministration } from '../webhooks/endpoint-administration.ts';

/** What the console does its work with. */
export interface ConsoleDeps {
  readonly accounts: Accounts;
  readonly people: People;
  readonly webhooks: ConsoleWebhooks;
  readonly integrations: ConsoleIntegrations;
  readonly capabilities: CapabilityStates;
  readonly clock: () => Date;
  /** Signs the tokens of forms; 32 bytes, the same in all processes of the service. */
  readonly formKey: Buffer;
  readonly settings: ConsoleSettings;
}

export interface ConsoleSettings {
  /** `scheme://host` that people use; undefined: as each request names it. */
  readonly publicUrl: string | undefined;
  /** Pages of one person in a minute: what they show costs no quota. */
  readonly pagesPerMinute: number;
}

/** Endpoints and what was sent to them, changed in the name of whoever acts. */
export interface ConsoleWebhooks {
  endpointsAs(actor: Actor): EndpointAdministration;
  logAs(actor: Actor): DeliveryLog;
}

/** Declared pages, looked after in the name of whoever acts. */
export interface ConsoleIntegrations {
  as(actor: Actor): Integrations;
}

/** What pages are made with. */
export interface PageDeps extends Omit<ConsoleDeps, 'formKey'> {
  /** The API's own answers. */
  readonly answers: DataResponses;
  readonly views: SurfaceDeps['views'];
}

/** Of the console. */
export const CONSOLE_SETTINGS = {
  pagesPerMinute: setting('CONSOLE_PAGES_MAX', wholeNumber(1, 100_000), {
    fallback: 120,
    text: 'pages and forms of the console per person and minute',
  }),
};
