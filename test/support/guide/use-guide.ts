import type { Capability } from '../../../api/data/access/rights.ts';
import { type Guide, type GuideSettings, makeGuide } from '../../../api/guide/guide.ts';

export interface GuideOptions extends Partial<Omit<GuideSettings, 'isLive'>> {
  /** Default: nothing is. */
  readonly planned?: readonly Capability[];
}

/** What the documentation knows of the service, unless told. */
export const GUIDE_FACTS = { hasConsole: true, backstop: {}, failedAttemptsMax: 60, publicRequestsMax: 600 } as const;

/** The documentation as a test wants it: with a console, and with everything live, unless told. */
export function openGuide({ planned = [], ...settings }: GuideOptions = {}): Guide {
  return makeGuide({
    root: '',
    ...GUIDE_FACTS,
    ...settings,
    isLive: (capability) => !planned.includes(capability),
  });
}
