import type { Day } from '../../../runtime/day.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { HISTORY_MONTHS_FULL, planWindowStart, type SnapshotAccess } from '../../accounts/organizations/plans.ts';
import { groupByDay } from '../../view/view-meta.ts';

/** What a caller may read on data routes (specification "Plans"; "Plan window"). */
export interface Rights {
  /** Null where no key is needed or plans are not mentioned. */
  readonly plan: string | null;
  /** Before today; {@link HISTORY_MONTHS_FULL}: all. */
  readonly historyMonths: number;
  /** Which stored snapshots are listed; null: all. */
  readonly snapshots: SnapshotAccess | null;
}

/** Without accounts. */
export const ALL_RIGHTS: Rights = { plan: null, historyMonths: HISTORY_MONTHS_FULL, snapshots: null };

/** A cache key of rights. Built for every request: JSON.stringify takes five times as long. */
export function rightsTag({ plan, historyMonths, snapshots }: Rights): string {
  const snapshotsTag =
    snapshots === null ? 'all' : `${snapshots.newest}${snapshots.monthEnds ? ' and month-ends' : ''}`;
  return `${plan} ${historyMonths} ${snapshotsTag}`;
}

/**
 * The snapshots that a caller may read: newest day first; of a day all versions, the one in force first (specification
 * "Plans"; decision 0022).
 *
 * @param manifests oldest day first, the version in force first
 */
export function visibleSnapshots(manifests: readonly Manifest[], rights: Rights, today: Day): readonly Manifest[] {
  const { snapshots } = rights;
  const byDay = groupByDay(manifests);
  const days = [...byDay.keys()];
  const visible =
    snapshots === null ? days : visibleDays(days, snapshots, planWindowStart(rights.historyMonths, today));
  return visible.toReversed().flatMap((day) => byDay.get(day) ?? []);
}

/** The newest days, and each month's last day from the window's start on; null: no start. */
function visibleDays(
  days: readonly Day[],
  { newest, monthEnds }: SnapshotAccess,
  windowStart: Day | null,
): readonly Day[] {
  const lastOfMonth = new Map(days.map((day) => [day.slice(0, 'YYYY-MM'.length), day]));
  const ends = monthEnds ? [...lastOfMonth.values()].filter((day) => day >= (windowStart ?? '')) : [];
  const visible = new Set([...(newest === 0 ? [] : days.slice(-newest)), ...ends]);
  return days.filter((day) => visible.has(day));
}

/**
 * Parts of the service that are live, planned, or open to some organizations (specification "Capabilities"). A planned
 * one looks exactly like an unknown route.
 *
 * `plans`: daily quota, burst limit and their headers. `webhooks` has no route: its endpoints are suspended. `embeds`
 * needs no key, so it has no pilot; nor do the newest `exports`, which need none. `attribution`: integrations and their rewards.
 * `digest`: digests by email, without a pilot, since they are people's.
 */
export const CAPABILITIES = [
  ...(['current', 'pricing', 'lifecycle', 'resolve', 'history', 'snapshots', 'changes', 'account', 'exports'] as const),
  ...(['plans', 'webhooks', 'mcp', 'embeds', 'attribution', 'digest'] as const),
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** `pilot`: live for the listed organizations, planned for others. */
type CapabilityState = 'live' | 'planned' | { readonly pilot: readonly string[] };

/** Missing ones are live. */
export type CapabilityStates = Readonly<Partial<Record<Capability, CapabilityState>>>;

/** Whether a capability is live for an organization; undefined: an unknown one. */
export function isLive(states: CapabilityStates, capability: Capability, organizationId: string | undefined): boolean {
  const state = states[capability] ?? 'live';
  if (state === 'live' || state === 'planned') return state === 'live';
  return organizationId !== undefined && state.pilot.includes(organizationId);
}

/** Parses `history=planned,changes=pilot:ORG1|ORG2`. */
export function capabilitiesFromText(text: string): CapabilityStates | { readonly problem: string } {
  const states: Partial<Record<Capability, CapabilityState>> = {};
  for (const part of text.split(',').filter((item) => item.trim() !== '')) {
    const [, name = '', state = '', organizations = ''] =
      /^\s*(\w+)=(live|planned|pilot)(?::(\S+))?\s*$/.exec(part) ?? [];
    const capability = CAPABILITIES.find((known) => known === name && known !== 'current');
    if (capability === undefined || (state === 'pilot') !== (organizations !== '')) return { problem: problemOf(part) };
    states[capability] = state === 'pilot' ? { pilot: organizations.split('|') } : parseState(state);
  }
  return states;
}

function parseState(text: string): 'live' | 'planned' {
  return text === 'planned' ? 'planned' : 'live';
}

function problemOf(part: string): string {
  const names = CAPABILITIES.filter((name) => name !== 'current').join(', ');
  return `'${part.trim()}' is not NAME=live, NAME=planned or NAME=pilot:ORGANIZATION|…, where NAME is one of ${names}`;
}
