/**
 * An integration: a page on which an organization credits the source of its data (specification "States of an integration").
 *
 *                        found                          three failures over 72 hours
 *     declared ─► pending ────► verified ─────────────────────────────────────► at_risk
 *                    │             ▲  ▲                found                      │  │
 *       three failures over 72 h   │  └───────────────────────────────────────────┘  │ seven days
 *                    ▼             │ found                                           ▼
 *                rejected ─────────┴─────────────────────────────────────────────► lapsed
 *
 *     found on a site that is another organization's: rejected        any ─remove─► removed
 *
 * It earns its bonus while verified or at risk, and until the end of the UTC day on which that ends.
 */

import { readOrganization } from '../accounts/organizations/organizations.ts';
import { ATTRIBUTION_BONUS, PLANS } from '../accounts/organizations/plans.ts';
import { NO_END_MS } from '../accounts/organizations/terms.ts';
import {
  type Database,
  dateOrNull,
  type IntegrationCheckRow,
  type IntegrationRow,
  parseEnum,
} from '../database/tables/tables.ts';

export const INTEGRATION_STATES = ['pending', 'verified', 'at_risk', 'lapsed', 'rejected', 'removed'] as const;
export type IntegrationState = (typeof INTEGRATION_STATES)[number];

/** Result of a check (specification "Checks of pages"). */
const CHECK_REASONS = ['FOUND', 'NOT_FOUND', 'UNREACHABLE', 'TIMEOUT', 'HTTP_ERROR', 'BLOCKED'] as const;
export type CheckReason = (typeof CHECK_REASONS)[number];

/** A link to the service, its badge inside a link, or a page of the service in a frame. */
const FOUND_KINDS = ['link', 'badge', 'embed'] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];

/** Per organization, without removed ones. */
export const INTEGRATIONS_MAX = 10;

export interface Found {
  readonly kind: FoundKind;
  /** URL of the link or frame. */
  readonly href: string;
  /** Its text or the picture's, shortened; may be empty. */
  readonly text: string;
}

/** Result of one check of a page. */
export interface Evidence {
  readonly reason: CheckReason;
  /** The reason as text for the owner. */
  readonly message: string;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** After redirects; null without a response. */
  readonly finalUrl: string | null;
  /** Null unless the reason is `FOUND`. */
  readonly found: Found | null;
  readonly durationMs: number;
}

/** How long the bonus continues while at risk. */
export const AT_RISK_MS = 7 * 86_400_000;

/** `earning` are the integrations of its organization that raise the quota at `now`. */
export function integrationFromRow(
  row: IntegrationRow,
  { now, earning }: { readonly now: Date; readonly earning: ReadonlySet<string> },
) {
  const state = parseEnum(INTEGRATION_STATES, row.state);
  return {
    /** `int_…` */
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    /** Normalised, without a fragment. */
    url: row.url,
    /** The URL's site, see `siteOf`. */
    domain: row.domain,
    state,
    stateChangedAt: new Date(row.state_changed_at),
    /** Consecutive failed checks. */
    failures: row.failures,
    /** Of the newest check; null before the first. */
    checkedAt: dateOrNull(row.checked_at),
    reason: row.reason === null ? null : parseEnum(CHECK_REASONS, row.reason),
    /** Why it isn't verified or won't stay so; null: no problem. */
    problem: row.problem,
    /** The next scheduled check; null: none. */
    nextCheckAt: dateOrNull(row.due_at),
    /** When it lapses if still at risk; null in other states. */
    lapsesAt: state === 'at_risk' ? new Date(row.state_changed_at + AT_RISK_MS) : null,
    /** Until when it raises the quota: null: it doesn't; `'lost'`: while verified or at risk. */
    bonusUntil: earning.has(row.id) ? bonusFrom(row.bonus_until, now) : null,
    createdAt: new Date(row.created_at),
  };
}

export type Integration = Readonly<ReturnType<typeof integrationFromRow>>;

export function checkFromRow(row: IntegrationCheckRow) {
  return {
    /** `chk_…`, sorting by time. */
    id: row.id,
    checkedAt: new Date(row.checked_at),
    /** Requested by a person; otherwise scheduled. */
    isRequested: row.asked === 1,
    /** The integration's state after the check. */
    state: parseEnum(INTEGRATION_STATES, row.state),
    reason: parseEnum(CHECK_REASONS, row.reason),
    message: row.message,
    status: row.status,
    finalUrl: row.final_url,
    found:
      row.found_kind === null
        ? null
        : { kind: parseEnum(FOUND_KINDS, row.found_kind), href: row.found_href ?? '', text: row.found_text ?? '' },
    durationMs: row.duration_ms,
  };
}

/** A finished check, stored for 90 days. */
export type Check = Readonly<ReturnType<typeof checkFromRow>>;

function bonusFrom(untilMs: number | null, now: Date): Date | 'lost' | null {
  if (untilMs === null || untilMs <= now.getTime()) return null;
  return untilMs === NO_END_MS ? 'lost' : new Date(untilMs);
}

export const NONE_EARNING: ReadonlySet<string> = new Set();

/**
 * Ids of the integrations that raise the quota at `now`: those that end last, of equal ones the oldest (specification
 * "Verified integrations"). Rejects with `not_found`.
 */
export async function findEarning(database: Database, organizationId: string, now: Date): Promise<ReadonlySet<string>> {
  const { terms } = await readOrganization(database, organizationId, now);
  if (!PLANS[terms.plan].hasAttributionBonus) return NONE_EARNING;
  const rows = await database
    .selectFrom('integrations')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('bonus_until', '>', now.getTime())
    .orderBy('bonus_until', 'desc')
    .orderBy('id')
    .limit(ATTRIBUTION_BONUS.integrationsMax)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
