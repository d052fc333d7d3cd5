/** Dates of retirement as feeds and as a calendar, read by a parser that has nothing to do with what writes them. */
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { itemsOf, openPublic, usePublic } from '../support/site/use-public.ts';

const CUTOVER = RECORD_VERSIONS.find(({ version }) => version === '1.2')?.inForceFrom ?? '';
const [FIRST, SECOND, THIRD] = [CUTOVER, addDays(CUTOVER, 1), addDays(CUTOVER, 2)];
const ODD_ID = 'odd/a,b;c\\d:"1"';
const LONG_NAME = `${'深度求索 '.repeat(20)}😀${'é'.repeat(60)}`;

const RESTS = { organization: 'maker; Ltd, Inc', status: 'deprecated', deprecated_on: null, replaced_by: 'next' };
const dated = (id: string, retires_on: string | null, more: object = {}) => {
  return { id, name: id, ...RESTS, retires_on, updated_at: `${FIRST}T10:00:00Z`, ...more };
};

function rowsOf(day: string): readonly object[] {
  return [
    dated(
      'soon',
      day === FIRST ? '2027-05-01' : '2027-06-01',
      day === FIRST ? {} : { updated_at: `${SECOND}T10:00:00Z` },
    ),
    dated('later', '2028-02-29'),
    dated('open', null),
    dated('gone', addDays(FIRST, -10), { status: 'retired' }),
    dated('long gone', addDays(FIRST, -40), { status: 'retired' }),
    dated(ODD_ID, '2027-07-01', { name: LONG_NAME, deprecated_on: '2027-04-01', replaced_by: null }),
    dated('\u05d0\u05d1', '2027-08-01', { name: 'שלום' }),
    { id: 'active', name: 'Active', status: 'active' },
  ];
}

const publish = async (store: TemporaryStore) => {
  for (const day of [FIRST, SECOND, THIRD]) await store.publish(day, { models: rowsOf(day) });
};

const api = usePublic({ days: publish, now: `${addDays(THIRD, 1)}T12:00:00Z` });

async function calendarAt(path: string, of = api) {
  const { statusCode, headers, body } = await of.get(path);
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
  const calendar = new ICAL.Component(ICAL.parse(body));
  const events = calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component);
    expect([event.startDate.isDate, event.duration.toString()]).toEqual([true, 'P1D']);
    return {
      uid: event.uid,
      day: event.startDate.toString(),
      title: event.summary,
      text: event.description,
      stamp: String(component.getFirstPropertyValue('dtstamp')),
    };
  });
  return { body, calendar, events };
}

test('the calendar has an event of a whole day per date, and those of the last 30 days', async () => {
  const { calendar, events } = await calendarAt('/feeds/lifecycle.ics');
  expect([calendar.getFirstPropertyValue('version'), calendar.getFirstPropertyValue('x-wr-calname')]).toEqual([
    '2.0',
    'modelstats: dates of models',
  ]);
  expect(events.map(({ day, title }) => [day, title])).toEqual([
    [addDays(FIRST, -10), 'Retirement: gone by maker; Ltd, Inc'],
    ['2027-04-01', expect.stringMatching(/^Deprecation: 深度求索 .* by maker; Ltd, Inc$/)],
    ['2027-06-01', 'Retirement: soon by maker; Ltd, Inc'],
    ['2027-07-01', `Retirement: ${LONG_NAME} (${ODD_ID}) by maker; Ltd, Inc`],
    ['2027-08-01', 'Retirement: \u2068שלום\u2069 (\u2068\u05d0\u05d1\u2069) by maker; Ltd, Inc'],
    ['2028-02-29', 'Retirement: later by maker; Ltd, Inc'],
  ]);
  expect(events[2]).toMatchObject({
    uid: 'retirement/soon@localhost',
    text: 'Its maker no longer serves it from 2027-06-01 on\nStatus: deprecated\nSuccessor: next',
    stamp: `${SECOND}T10:00:00Z`,
  });
  expect(new Set(events.map(({ uid }) => uid)).size).toBe(events.length);
});

test('its lines end with CRLF and have at most 75 octets, and are cut between characters', async () => {
  const { body } = await calendarAt('/feeds/lifecycle.ics');
  expect(body.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  const lines = body.split('\r\n');
  expect(lines.at(-1)).toBe('');
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBe(75);
  expect(body.isWellFormed()).toBe(true);
  expect(lines.filter((line) => line.startsWith(' ')).length).toBeGreaterThan(5);
});

test('a calendar of some models has all of their dates, past ones too', async () => {
  const { events } = await calendarAt('/feeds/lifecycle.ics?model=soon,long+gone,active');
  expect(events.map(({ uid, day }) => [uid, day])).toEqual([
    ['retirement/long%20gone@localhost', addDays(FIRST, -40)],
    ['retirement/soon@localhost', '2027-06-01'],
  ]);
  const one = await calendarAt('/feeds/lifecycle.ics?model=active');
  expect([one.events, one.calendar.getFirstPropertyValue('name')]).toEqual([[], 'modelstats: dates of active']);
});

test('the feeds tell what is ahead, newly known dates first; a date that moved is a new entry', async () => {
  const items = await itemsOf(api, '/feeds/lifecycle');
  expect(items.map(({ title, date_published: at }) => [at.slice(0, 10), title.slice(0, 40)])).toEqual([
    [SECOND, 'Retirement on 2027-06-01: soon by maker;'],
    [FIRST, expect.stringMatching(/^Deprecation on 2027-04-01: /)],
    [FIRST, expect.stringMatching(/^Retirement on 2027-07-01: /)],
    [FIRST, expect.stringMatching(/^Retirement on 2027-08-01: /)],
    [FIRST, 'Retirement on 2028-02-29: later by maker'],
    [FIRST, 'Retirement, day not known: open by maker'],
  ]);
  expect(items[0]).toMatchObject({
    id: `tag:localhost,${SECOND}:lifecycle/retirements/soon/2027-06-01`,
    tags: ['retirements'],
    url: 'http://localhost:80/embed/models/soon',
  });
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
});

test('a feed of some models names itself with its filter in both forms', async () => {
  const path = '/feeds/lifecycle.json?model=soon,long%20gone,soon';
  const feed = await api.json(path);
  expect(feed).toMatchObject({
    feed_url: 'http://localhost:80/feeds/lifecycle.json?model=long+gone%2Csoon',
    items: [{ title: 'Retirement on 2027-06-01: soon by maker; Ltd, Inc' }, { title: /long gone/ }]
      .slice(0, 1)
      .concat([{ title: `Retirement on ${addDays(FIRST, -40)}: long gone by maker; Ltd, Inc` }]),
  });
  const { body } = await api.get('/feeds/lifecycle.atom?model=soon,long%20gone,soon');
  expect(body).toContain('href="http://localhost:80/feeds/lifecycle.atom?model=long+gone%2Csoon"');
  expect(body).toContain('<id>tag:localhost,2026-01-01:feeds/lifecycle?model=long+gone%2Csoon</id>');
});

describe.each(['atom', 'json', 'ics'])('the form %s', (form) => {
  test('has a tag that its readers get 304 with', async () => {
    const { headers } = await api.get(`/feeds/lifecycle.${form}`);
    const again = await api.get(`/feeds/lifecycle.${form}`, { 'if-none-match': String(headers['etag']) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('refuses unknown models, and more of them than one request may name', async () => {
    const unknown = await api.get(`/feeds/lifecycle.${form}?model=soon,sooon`);
    expect([unknown.statusCode, unknown.json().error]).toMatchObject([
      404,
      { code: 'not_found', param: 'model', message: 'There is no model with the id sooon' },
    ]);
    const many = Array.from({ length: 51 }, (_, at) => `m${at}`).join(',');
    for (const model of [many, '', 'soon,', 'x'.repeat(201)]) {
      const refused = await api.get(`/feeds/lifecycle.${form}?model=${model}`);
      expect([refused.statusCode, refused.json().detail[0].loc]).toEqual([422, ['query', 'model']]);
    }
  });
});

test('before version 1.2 of the records feeds and calendar are empty, and there are none without the capability', async () => {
  const old = await openPublic({ days: (store) => store.publish(addDays(CUTOVER, -2), { models: rowsOf(FIRST) }) });
  expect((await calendarAt('/feeds/lifecycle.ics', old)).events).toEqual([]);
  expect(await itemsOf(old, '/feeds/lifecycle')).toEqual([]);
  const without = await openPublic({ days: publish, planned: ['lifecycle'] });
  expect((await without.get('/feeds/lifecycle.ics')).statusCode).toBe(404);
  expect((await without.get('/feeds/changes.atom')).statusCode).toBe(200);
  expect((await api.get('/')).body).toContain('href="/feeds/lifecycle.ics"');
  expect((await without.get('/')).body).not.toContain('lifecycle');
  expect(Object.keys((await without.json('/openapi.json'))['paths'] as object).join()).not.toContain('feeds/lifecycle');
});
