/**
 * Capabilities can be switched off as a whole, or be open to some (specification "Capabilities"). What is
 * planned looks exactly like a route that doesn't exist.
 */

/**
 * `plans`: daily quota, the organizations' burst limit and their headers. `webhooks` has no route: its endpoints are suspended. `embeds`:
 * what needs no key, so it is there for everybody or for nobody. `attribution`: integrations and what they earn.
 */
export const CAPABILITIES = [
  ...(['current', 'history', 'snapshots', 'changes', 'account'] as const),
  ...(['plans', 'webhooks', 'mcp', 'embeds', 'attribution'] as const),
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Live for all, planned for all, or live for some organizations and planned for the others. */
export type CapabilityState = 'live' | 'planned' | { readonly pilot: readonly string[] };

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
