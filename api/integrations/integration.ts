/**
 * An integration: a page on which an organization shows where its data come from. Its life (specification "States of an integration"):
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
 * It earns its bonus while it is verified or at risk, and when it stops, until that UTC day is over.
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

/** What became of a check (specification "Checks of pages"). */
const CHECK_REASONS = ['FOUND', 'NOT_FOUND', 'UNREACHABLE', 'TIMEOUT', 'HTTP_ERROR', 'BLOCKED'] as const;
export type CheckReason = (typeof CHECK_REASONS)[number];

/** What shows the source: a link to the service, its badge inside a link, or a page of the service inside this one. */
const FOUND_KINDS = ['link', 'badge', 'embed'] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];

/** Integrations that an organization may have, removed ones aside. */
export const INTEGRATIONS_MAX = 10;

/** What a check found on the page. */
export interface Found {
  readonly kind: FoundKind;
  /** The link's or the frame's address. */
  readonly href: string;
  /** What it shows: its text or the text for its picture, shortened; may be empty. */
  readonly text: string;
}

/** What one look at a page told. */
export interface Evidence {
  readonly reason: CheckReason;
  /** The reason in words, for whoever declared the page. */
  readonly message: string;
  /** The answer's HTTP status; null where there was none. */
  readonly status: number | null;
  /** Where the answer came from, behind all redirects; null where there was none. */
  readonly finalUrl: string | null;
  /** Null unless the reason is `FOUND`. */
  readonly found: Found | null;
  readonly durationMs: number;
}

/** How long an integration that is at risk keeps its bonus. */
export const AT_RISK_MS = 7 * 86_400_000;

/** An integration as it is stored, at `now`; `earning` are those of its organization that raise the quota then. */
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
    /** As it is requested: normalised, without a fragment. */
    url: row.url,
    /** The site that the URL lies on, as `siteOf` names it. */
    domain: row.domain,
    state,
    stateChangedAt: new Date(row.state_changed_at),
    /** Checks in a row that did not find what they look for; 0 where the newest did. */
    failures: row.failures,
    /** Of the newest check; null before the first one. */
    checkedAt: dateOrNull(row.checked_at),
    reason: row.reason === null ? null : parseEnum(CHECK_REASONS, row.reason),
    /** What keeps it from being verified, or from staying so, in words; null: nothing. */
    problem: row.problem,
    /** When it is checked next without being asked to; null: never. */
    nextCheckAt: dateOrNull(row.due_at),
    /** When an integration that is at risk lapses, unless the link is found again; null in every other state. */
    lapsesAt: state === 'at_risk' ? new Date(row.state_changed_at + AT_RISK_MS) : null,
    /** Until when it raises the quota: null: it does not; `'lost'`: while it is verified or at risk. */
    bonusUntil: earning.has(row.id) ? bonusFrom(row.bonus_until, now) : null,
    createdAt: new Date(row.created_at),
  };
}

export type Integration = Readonly<ReturnType<typeof integrationFromRow>>;

export function checkFromRow(row: IntegrationCheckRow) {
  return {
    /** `chk_…`, later ones sorting after earlier ones. */
    id: row.id,
    checkedAt: new Date(row.checked_at),
    /** Whether somebody asked for it; else it was due. */
    isAsked: row.asked === 1,
    /** The state of the integration after it. */
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

/** A check that ended, as it is kept for 90 days. */
export type Check = Readonly<ReturnType<typeof checkFromRow>>;

function bonusFrom(untilMs: number | null, now: Date): Date | 'lost' | null {
  if (untilMs === null || untilMs <= now.getTime()) return null;
  return untilMs === NO_END_MS ? 'lost' : new Date(untilMs);
}

/** Of an organization whose integrations raise nothing. */
export const NONE_EARNING: ReadonlySet<string> = new Set();

/**
 * The integrations of an organization that raise its quota at `now`, by their ids: as many as its plan lets count, those that end last;
 * of those that end together the oldest (specification "Verified integrations"). Rejects with `not_found`.
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
