import { CAPABILITIES, type Capability } from '../data/access/rights.ts';
import type { PageValues } from './pages.ts';

export interface GuideFacts {
  /** Live for everybody. */
  readonly isLive: (capability: Capability) => boolean;
  readonly hasConsole: boolean;
  /** Requests per key and minute, by route, that override the routes' own. */
  readonly backstop: Readonly<Record<string, number>>;
  /** Attempts without a valid key, per minute and address. */
  readonly failedAttemptsMax: number;
  /** Badges, embeds, feeds and searches, per minute and address. */
  readonly publicRequestsMax: number;
}

export function conditionsFrom({ isLive, hasConsole }: GuideFacts): PageValues['conditions'] {
  return {
    ...Object.fromEntries(CAPABILITIES.map((capability) => [capability, isLive(capability)])),
    console: hasConsole,
    mirror: isLive('snapshots') && isLive('changes'),
    // Operators read the changelog in the repository.
    operator: false,
  };
}
