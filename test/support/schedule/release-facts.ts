import type { ReleaseFacts } from '../../../storage/release-metrics.ts';

export const RELEASE_FACTS: ReleaseFacts = {
  day: '2026-06-03',
  published_at: '2026-06-03T00:07:00.000Z',
  quarantined: { models: 1, benchmarks: 0, scores: 2, rankings: 0, pricing: 0 },
  suspects_pending: 4,
};
