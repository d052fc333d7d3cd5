import { pino } from 'pino';
import { expect, test } from 'vitest';
import { AppError } from '../../runtime/errors.ts';
import { TestClock } from '../../test/support/accounts/subject.ts';
import { type ViewEvent, viewEventLog } from './view-events.ts';

const SWAPPED: ViewEvent = { type: 'swapped', day: '2026-06-01', durationMs: 5, isExtended: false };
const RECOVERED: ViewEvent = { type: 'recovered', since: new Date('2026-06-01T00:00:00Z') };
const AWAY: ViewEvent = { type: 'failed', error: new AppError('store_unavailable', 'away') };
const CORRUPT: ViewEvent = { type: 'failed', error: new AppError('corrupt', 'a file is damaged') };

/** A log of view events with a fixed clock, and the text of each line. */
function openLog() {
  const lines: string[] = [];
  const clock = new TestClock();
  const logger = pino({
    hooks: {
      streamWrite: (line) => {
        const { level, msg, reason, err, since } = JSON.parse(line);
        lines.push([level, msg, reason ?? err?.message ?? since].filter((part) => part !== undefined).join(' '));
        return '';
      },
    },
  });
  return { lines, clock, note: viewEventLog(logger, clock.now) };
}

const LOGGED_AWAY = '50 the view could not follow the store away';
const LOGGED_CORRUPT = '50 the view could not follow the store a file is damaged';
const LOGGED_RECOVERED = '30 the view follows the store again 2026-06-01T00:00:00.000Z';

test('an outage is logged once over all attempts, its end too, and the next outage again', () => {
  const { lines, note } = openLog();
  for (const event of [AWAY, AWAY, AWAY, RECOVERED, AWAY, AWAY, RECOVERED]) note(event);
  expect(lines).toEqual([LOGGED_AWAY, LOGGED_RECOVERED, LOGGED_AWAY, LOGGED_RECOVERED]);
});

test('each cause of a longer outage is logged once an hour', () => {
  const { lines, clock, note } = openLog();
  for (const event of [AWAY, CORRUPT, AWAY, CORRUPT]) note(event);
  clock.advance(3_599_999);
  note(AWAY);
  expect(lines).toEqual([LOGGED_AWAY, LOGGED_CORRUPT]);
  clock.advance(1);
  note(AWAY);
  expect(lines).toEqual([LOGGED_AWAY, LOGGED_CORRUPT, LOGGED_AWAY]);
});

test('a rebuilt view that is damaged again is logged again', () => {
  const { lines, note } = openLog();
  const damaged: ViewEvent = { type: 'damaged', error: 'checksum' };
  for (const event of [damaged, SWAPPED, damaged]) note(event);
  expect(lines.map((line) => line.slice(0, 40))).toEqual([
    expect.stringContaining('50 the view could not follow'),
    expect.stringContaining('30 serving a new view'),
    expect.stringContaining('50 the view could not follow'),
  ]);
});

test('a store in which nothing is published yet is no error', () => {
  const { lines, note } = openLog();
  note({ type: 'failed', error: new AppError('unavailable', 'no catalog') });
  expect(lines).toEqual(['40 no release to serve yet no catalog']);
});
