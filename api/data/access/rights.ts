import type { Day } from '../../../runtime/day.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { HISTORY_MONTHS_FULL, planWindowStart, type SnapshotAccess } from '../../accounts/organizations/plans.ts';
import { groupByDay } from '../../view/view-meta.ts';

/** What a caller may see, as the data routes need it (specification "Plans"; "Plan window"). */
export interface Rights {
  /** The plan's code; null where nobody is asked for a key, or plans are not told of. */
  readonly plan: string | null;
  /** Calendar months of history before today; {@link HISTORY_MONTHS_FULL}: all of it. */
  readonly historyMonths: number;
  /** Which of the stored snapshots are listed; null: all. */
  readonly snapshots: SnapshotAccess | null;
}

/** Rights without a limit: the service without accounts. */
export const ALL_RIGHTS: Rights = { plan: null, historyMonths: HISTORY_MONTHS_FULL, snapshots: null };

/**
 * The same text for the same rights, and another for others. Made for every request, so it is put together rather than printed
 * as JSON, which takes five times as long.
 */
export function rightsTag({ plan, historyMonths, snapshots }: Rights): string {
  const seen = snapshots === null ? 'all' : `${snapshots.newest}${snapshots.monthEnds ? ' and month-ends' : ''}`;
  return `${plan} ${historyMonths} ${seen}`;
}

/**
 * Of the stored snapshots those that a caller may see, newest day first, each in every version it was written in, the one in
 * force first (specification "Plans"; decision 0022).
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

/**
 * The newest so many days, and the last one of every month from the start of the history window on; null is no start.
 *
 * @param days ascending
 */
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
 * Capabilities can be switched off as a whole, or be open to some (specification "Capabilities"). What is planned looks exactly like a
 * route that doesn't exist.
 *
 * `plans`: daily quota, the organizations' burst limit and their headers. `webhooks` has no route: its endpoints are suspended.
 * `embeds`: what needs no key, so it is there for everybody or for nobody. `attribution`: integrations and what they earn.
 */
export const CAPABILITIES = [
  ...(['current', 'history', 'snapshots', 'changes', 'account'] as const),
  ...(['plans', 'webhooks', 'mcp', 'embeds', 'attribution'] as const),
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Live for all, planned for all, or live for some organizations and planned for the others. */
type CapabilityState = 'live' | 'planned' | { readonly pilot: readonly string[] };

/** What isn't named is live. */
export type CapabilityStates = Readonly<Partial<Record<Capability, CapabilityState>>>;

/** True where a capability is there for an organization; undefined where no organization is known. */
export function isLive(states: CapabilityStates, capability: Capability, organizationId: string | undefined): boolean {
  const state = states[capability] ?? 'live';
  if (state === 'live' || state === 'planned') return state === 'live';
  return organizationId !== undefined && state.pilot.includes(organizationId);
}

/**
 * Reads `history=planned,changes=pilot:ORG1|ORG2`; the message says what is wrong.
 */
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

function parseState(word: string): 'live' | 'planned' {
  return word === 'planned' ? 'planned' : 'live';
}

function problemOf(part: string): string {
  const names = CAPABILITIES.filter((name) => name !== 'current').join(', ');
  return `'${part.trim()}' is no NAME=live, NAME=planned or NAME=pilot:ORGANIZATION|… with a name of ${names}`;
}
