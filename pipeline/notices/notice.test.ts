import { expect, test } from 'vitest';
import { type NoticeFacts, noticeFrom } from './notice.ts';

const AT = new Date('2026-11-20T00:06:00.000Z');
const HELD: NoticeFacts = {
  kind: 'held',
  day: '2026-11-20',
  at: AT,
  reasons: ['models would lose 8 of 10 records (80 %); at most 30 % may be lost'],
  gone: [{ dataset: 'models', records: 8, examples: ['m2', 'm3'] }],
  nextCommand: 'modelstats nightly --source /raw --day 2026-11-20 --accept',
  nextAttemptAt: new Date('2026-11-20T00:07:00.000Z'),
  report: '/work/runs/2026-11-20.01A',
};

test('a notice of a held night says why, what would be gone, what to run, and when it is tried again', () => {
  expect(noticeFrom('file:/store', HELD)).toEqual({
    kind: 'held',
    day: '2026-11-20',
    store: 'file:/store',
    at: AT.toISOString(),
    reasons: HELD.reasons,
    gone: HELD.gone,
    next_command: HELD.nextCommand,
    next_attempt_at: '2026-11-20T00:07:00.000Z',
    report: HELD.report,
    text: [
      'modelstats: 2026-11-20 is held and needs a person',
      'models would lose 8 of 10 records (80 %); at most 30 % may be lost',
      'would be deleted: 8 models (m2, m3, …)',
      'Nothing was published; the previous day stays current.',
      'If the source is right, run: modelstats nightly --source /raw --day 2026-11-20 --accept',
      'The night is retried at 2026-11-20T00:07:00.000Z.',
      'store: file:/store',
    ].join('\n'),
  });
});

test('whatever a source says, a notice is bounded, keeps its command whole, and has no control characters', () => {
  const reasons = Array.from({ length: 50 }, (_, at) => `reason ${at} \u001b[31m\n${'x'.repeat(5000)}`);
  const gone = [{ dataset: 'models', records: 9, examples: ['a\u0007b'.repeat(1000)] }];
  const notice = noticeFrom('file:/store', { ...HELD, reasons, gone });
  expect(notice.reasons).toHaveLength(11);
  expect(notice.reasons.at(-1)).toBe('and 40 more');
  expect(Math.max(...notice.reasons.map(({ length }) => length))).toBe(500);
  expect(notice.text.length).toBeLessThanOrEqual(1800);
  expect(notice.text).toContain(`run: ${HELD.nextCommand}\n`);
  expect(JSON.stringify({ ...notice, text: notice.text.replaceAll('\n', ' ') })).not.toMatch(/\\u00[01]|\\n/);
});

test('what a source says calls nobody in a chat that shows the text', () => {
  const notice = noticeFrom('file:/store', {
    ...HELD,
    reasons: ['<!channel> <https://evil.test|look> @all a@here.test @b'],
  });
  expect(notice.text).toContain('‹!channel› ‹https://evil.test|look› ＠all a＠here.test @b');
  expect(notice.reasons).toEqual(['<!channel> <https://evil.test|look> @all a@here.test @b']);
});

test('a recovery has nothing to run, and a night that was given up says that nobody tries it again', () => {
  const recovered = noticeFrom('file:/store', { kind: 'recovered', day: '2026-11-20', at: AT, reasons: ['was held'] });
  expect(recovered.text).toBe('modelstats: recovered, 2026-11-20 is published\nwas held\nstore: file:/store');
  const { nextAttemptAt: _, ...givenUp } = HELD;
  expect(noticeFrom('file:/store', givenUp)).toMatchObject({
    next_attempt_at: null,
    text: expect.stringContaining('The night is not retried automatically.'),
  });
});
