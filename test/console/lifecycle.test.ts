import { expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';
import { MOVED, publishRatedDays } from '../worlds/rated-days.ts';

const console = useConsole({ days: (store) => publishRatedDays(store), now: `${MOVED}T12:00:00Z` });

test('the page of dates shows them with what replaces a model, filtered as the API filters', async () => {
  const { org, ada } = await console.own();
  const pageOf = async (query: string) => (await ada.get(`/console/orgs/${org}/data/lifecycle${query}`)).body;
  const all = await pageOf('');
  expect(all).toContain('<p>5 dates</p>');
  for (const text of ['2027-03-01', 'not-listed', 'deprecation']) expect(all).toContain(`>${text}<`);
  expect(all).not.toContain('>2028-03-01<');
  const some = await pageOf('?model=same%2Cplain&organization=&from=&days=3650');
  expect(some).toContain('<p>2 dates</p>');
  expect(some).toContain('>2028-03-01<');
  expect(await pageOf('?model=plain')).toContain('No source names a date that matches.');
});

test('it names the calendar and the feed of the models that are shown', async () => {
  const { org, ada } = await console.own();
  const pageOf = async (query: string) => (await ada.get(`/console/orgs/${org}/data/lifecycle${query}`)).body;
  const shown = (address: string) => `<pre tabindex="0">https://stats.example.com/feeds/lifecycle.${address}</pre>`;
  expect(await pageOf('')).toContain(shown('ics'));
  expect(await pageOf('?model=same%2Cplain')).toContain(shown('atom?model=same%2Cplain'));
});

test('a model that does not exist, or a wrong date, leaves the form with the reason', async () => {
  const { org, ada } = await console.own();
  for (const [query, reason] of [
    ['?model=same%2Cnobody', 'There is no model with the id nobody.'],
    ['?from=2027-13-01', 'query.from: Input should be a valid date'],
  ] as const) {
    const { statusCode, body } = await ada.get(`/console/orgs/${org}/data/lifecycle${query}`);
    expect(statusCode).toBe(200);
    expect(body).toContain(reason);
    expect(body).toContain('name="model"');
    expect(body, 'no calendar of what does not exist').not.toContain('/feeds/lifecycle.ics');
  }
});
