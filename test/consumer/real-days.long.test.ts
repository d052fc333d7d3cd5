import { describe, expect, test } from 'vitest';
import { HAS_PYTHON } from '../support/has-python.ts';
import { REAL_DATA } from '../support/real-data.ts';
import { followInPython } from './python.ts';

/** Days far apart, so that many models go between them, among them some whose ids hold a colon. */
const DAYS = ['2025-06-04', '2025-08-25', '2025-12-12', '2025-12-13', '2026-03-07', '2026-06-29'];

describe.skipIf(REAL_DATA === undefined || !HAS_PYTHON)('a consumer who matches id and entity_id as they are', () => {
  test('finds every deleted record and ends equal to each snapshot', { timeout: 300_000 }, async () => {
    const { deletions, ...rest } = await followInPython(REAL_DATA ?? '', DAYS);
    expect(rest).toEqual({
      snapshots: DAYS.length,
      events: expect.any(Number),
      missed: 0,
      wrong_key: 0,
      events_left: 0,
      different: [],
    });
    expect(deletions['model']).toBeGreaterThan(500);
  });
});
