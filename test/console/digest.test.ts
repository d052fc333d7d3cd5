/** The choice of a digest by email, and the link in its mails (specification "Digests by email"). */
import { describe, expect, test } from 'vitest';
import { findDigestChoice } from '../../api/digests/digests.ts';
import { PUBLIC_URL, useConsole } from '../support/console/use-console.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

const YOU = '/console/you';
const STOP = '/console/digest/stop';

describe('where digests are sent', () => {
  const console = useConsole();

  /** A member with a daily digest, and the path and query of the link in its mails. */
  async function daily(email: string) {
    await console.organization({ [email]: 'owner' });
    const browser = await console.signIn(email);
    await browser.post(`${YOU}/digest`, { digest: 'daily' }, { from: YOU });
    const { id } = await console.database.kysely
      .selectFrom('people')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    const link = new URL(console.stopLinks.linkFor(id, PUBLIC_URL));
    const choice = () => findDigestChoice(id, console.members);
    return { id, browser, choice, link: link.pathname + link.search };
  }

  test('nobody has one without choosing it; the page shows the choice', async () => {
    await console.organization({ 'ada@example.com': 'owner' });
    const ada = await console.signIn('ada@example.com');
    const before = (await ada.get(YOU)).body;
    expect(before).toMatch(/<option value="none" selected>No digest/);
    const saved = await ada.post(`${YOU}/digest`, { digest: 'weekly' }, { from: YOU });
    expect([saved.statusCode, saved.headers.location]).toEqual([303, `${YOU}?done=digest`]);
    const { body } = await ada.get(`${YOU}?done=digest`);
    expect(body).toContain('Your choice of digest was saved.');
    expect(body).toMatch(/<option value="weekly" selected>Weekly, on Mondays/);
    const row = await console.database.kysely
      .selectFrom('email_digests')
      .innerJoin('people', 'people.id', 'person_id')
      .select('reported_day')
      .where('email', '=', 'ada@example.com')
      .executeTakeFirstOrThrow();
    expect(row.reported_day).toBe(SAMPLE_DAYS[2]);
  });

  test.each([{ digest: 'hourly' }, {}, { digest: ['daily', 'weekly'] }])('%j is no choice', async (fields) => {
    await console.organization({ 'eve@example.com': 'owner' });
    const eve = await console.signIn('eve@example.com');
    const { statusCode, body } = await eve.post(`${YOU}/digest`, fields, { from: YOU });
    expect([statusCode, body.includes('role="alert"')]).toEqual([422, true]);
  });

  test('a link stops the digest with its form, not by being opened, without a session', async () => {
    const { link, choice } = await daily('bob@example.com');
    const stranger = console.stranger();
    const { statusCode, body } = await stranger.get(link);
    expect([statusCode, body.includes('Stop the digest?'), await choice()]).toEqual([200, true, 'daily']);
    const stopped = await stranger.post(link, {}, { from: link });
    expect([stopped.statusCode, stopped.body.includes('The digest was stopped')]).toEqual([200, true]);
    expect(await choice()).toBe('none');
  });

  test.each([
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    ],
  ])(
    'a mail program stops it with one request, as %s, from anywhere and without a cookie (RFC 8058)',
    async (type, payload) => {
      const { link, choice } = await daily(`one-click-${type.length}@example.com`);
      const headers = {
        'content-type': type,
        host: 'stats.example.com',
        origin: 'https://mail.example.net',
        'sec-fetch-site': 'cross-site',
      };
      const response = await console.api.app.inject({ method: 'POST', url: link, headers, payload });
      expect([response.statusCode, await choice()]).toEqual([200, 'none']);
      const again = await console.api.app.inject({ method: 'POST', url: link, headers, payload });
      expect(again.statusCode).toBe(200);
    },
  );

  test('a token that is not ours stops nothing', async () => {
    const { id, link, choice } = await daily('max@example.com');
    for (const url of [STOP, `${STOP}?token=`, link.slice(0, -3), `${STOP}?token=${id}.`]) {
      const request = { url, headers: { host: 'stats.example.com' } };
      const shown = await console.api.app.inject({ method: 'GET', ...request });
      const sent = await console.api.app.inject({ method: 'POST', ...request });
      expect([shown.statusCode, sent.statusCode], url).toEqual([404, 404]);
    }
    expect(await choice()).toBe('daily');
  });

  test('a body that is too long is refused, whatever its kind', async () => {
    const { link, choice } = await daily('long@example.com');
    const headers = { host: 'stats.example.com', 'content-type': 'text/plain' };
    const payload = 'x'.repeat(65 * 1024);
    const { statusCode } = await console.api.app.inject({ method: 'POST', url: link, headers, payload });
    expect([statusCode, await choice()]).toEqual([413, 'daily']);
  });

  test('other forms of the console still need their token', async () => {
    const { browser } = await daily('zoe@example.com');
    const { statusCode } = await browser.postWith('', `${YOU}/digest`, { digest: 'none' });
    expect(statusCode).toBe(403);
  });
});

describe('where none can be sent', () => {
  const console = useConsole({ digestProblem: 'This service sends no digests: it has no mail server.' });

  test('the page says why, and offers nothing', async () => {
    const { ada } = await console.own();
    const { body } = await ada.get(YOU);
    expect([body.includes('it has no mail server'), body.includes('name="digest"')]).toEqual([true, false]);
    const response = await ada.post(`${YOU}/digest`, { digest: 'daily' }, { from: YOU });
    expect([response.statusCode, response.body.includes('it has no mail server')]).toEqual([422, true]);
  });
});

describe.each([
  ['off', 'planned'],
  ['open to some organizations', { pilot: ['org_other'] }],
] as const)('where the capability is %s', (_, digest) => {
  const console = useConsole({ capabilities: { digest } });

  test('there is neither a choice nor its pages', async () => {
    const { ada } = await console.own();
    expect((await ada.get(YOU)).body).not.toContain('Digest');
    const responses = await Promise.all([
      ada.post(`${YOU}/digest`, { digest: 'daily' }, { from: YOU }),
      ada.get(`${STOP}?token=x`),
    ]);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
  });
});
