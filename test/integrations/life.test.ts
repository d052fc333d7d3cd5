/** The whole life of integrations, over web sites that are really asked, with a clock that is told. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outbound } from '../../http/outbound/outbound.ts';
import { LOOK_LIMITS, pageLooker } from '../../integrations/page/look.ts';
import { callerOf } from '../support/accounts/subject.ts';
import {
  type IntegrationSubject,
  openIntegrationSubject,
  PUBLIC_URL,
  startService,
  type TestService,
} from '../support/integrations/integration-subject.ts';
import { pageOutbound } from '../support/integrations/page-outbound.ts';
import { type PageAnswer, type PageServer, startPages } from '../support/integrations/page-server.ts';

/** Each check has threads of its own. */
vi.setConfig({ testTimeout: 120_000 });

const HOUR_MS = 3_600_000;
const LINK = `<a href="${PUBLIC_URL}/models">Data: modelstats</a>`;
const BADGE = `<a href="/about"><img src="${PUBLIC_URL}/badges/source.svg" alt="Data"></a>`;

let folder: string;
let pages: PageServer;
let outbound: Outbound;
let subject: IntegrationSubject;
let job: TestService;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-life-'));
  [pages, outbound] = [await startPages(), pageOutbound()];
  const limits = { ...LOOK_LIMITS, pageTimeoutMs: 2_000 };
  const look = pageLooker({ outbound, publicUrl: PUBLIC_URL, toolVersion: 'test', limits });
  const changes = { look, findUrlProblem: () => undefined };
  subject = await openIntegrationSubject(`sqlite:${join(folder, 'control.db')}`, changes);
  job = startService(subject);
});
afterEach(async () => {
  await job.service.stop(5_000);
  await subject.close();
  await Promise.all([outbound.close(), pages.close()]);
  await rm(folder, { recursive: true });
});

/** Declares a page that answers so, and lets the job look at it. */
async function declare(organizationId: string, page: string, answer: PageAnswer) {
  pages.pages.set(page, answer);
  const { id } = await subject.declare(organizationId, pages.urlOf(page));
  await job.work();
  return id;
}

async function newest(organizationId: string, id: string) {
  const { integration, checks } = await subject.integrations.find({ organizationId, id });
  return [integration.state, checks[0]?.reason, checks[0]?.found?.kind];
}

/** Lets time go by, with what is due in it. */
async function wait(hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 4) {
    subject.clock.advance(4 * HOUR_MS);
    await job.work();
  }
}

test('what is found is a link, a badge, and what redirects within the site lead to; nothing else', async () => {
  const organizationId = await subject.organization();
  const large = `<p>${'x'.repeat(LOOK_LIMITS.pageBytesMax)}</p>${LINK}`;
  const to = (page: string) => ({ status: 302, headers: { location: pages.urlOf(page) } });
  pages.pages.set('www.shop.test/target', LINK);
  pages.pages.set('other.test/target', LINK);
  pages.pages.set('closed.test/robots.txt', { body: 'User-agent: modelstats-check\nDisallow: /' });
  const cases: readonly (readonly [string, PageAnswer, readonly unknown[]])[] = [
    ['a.test/link', LINK, ['verified', 'FOUND', 'link']],
    ['b.test/badge', BADGE, ['verified', 'FOUND', 'badge']],
    ['shop.test/redirect', to('www.shop.test/target'), ['verified', 'FOUND', 'link']],
    ['c.test/elsewhere', to('other.test/target'), ['pending', 'NOT_FOUND', undefined]],
    ['d.test/hidden', `<p style="display:none">${LINK}</p>`, ['pending', 'NOT_FOUND', undefined]],
    ['e.test/comment', `<!-- ${LINK} -->`, ['pending', 'NOT_FOUND', undefined]],
    ['f.test/script', `<script>"${LINK}"</script>`, ['pending', 'NOT_FOUND', undefined]],
    ['g.test/large', large, ['pending', 'NOT_FOUND', undefined]],
    ['closed.test/', LINK, ['pending', 'BLOCKED', undefined]],
    ['h.test/slow', () => undefined, ['pending', 'TIMEOUT', undefined]],
  ];
  for (const [page, answer, told] of cases) {
    const id = await declare(organizationId, page, answer);
    expect([page, await newest(organizationId, id)]).toEqual([page, told]);
  }
});

test('a page that is gone for three days is at risk, and when it is back all is as before', async () => {
  const organizationId = await subject.organization();
  const id = await declare(organizationId, 'shop.test/', LINK);
  const { key } = await subject.accounts.administration.createKey(organizationId, 'test');
  const limitNow = async () => (await callerOf(subject.accounts, key)).terms.quotaLimit;
  expect(await limitNow()).toBe(750);
  pages.pages.set('shop.test/', { status: 404 });
  await wait(36 + 72 + 4);
  expect(await newest(organizationId, id)).toEqual(['at_risk', 'HTTP_ERROR', undefined]);
  expect(await limitNow()).toBe(750);
  pages.pages.set('shop.test/', BADGE);
  await wait(28);
  expect(await newest(organizationId, id)).toEqual(['verified', 'FOUND', 'badge']);
  expect(await limitNow()).toBe(750);
});

test('two organizations on one site, and a third page that earns nothing', async () => {
  const [first, second] = [await subject.organization(), await subject.organization()];
  const { key } = await subject.accounts.administration.createKey(first, 'test');
  const ids: string[] = [];
  const limits: (number | null)[] = [];
  for (const page of ['a.test/', 'b.test/', 'c.test/']) {
    ids.push(await declare(first, page, LINK));
    limits.push((await callerOf(subject.accounts, key)).terms.quotaLimit);
  }
  expect(limits).toEqual([750, 1000, 1000]);
  const taken = await declare(second, 'www.a.test/', LINK);
  expect(await newest(second, taken)).toEqual(['rejected', 'FOUND', 'link']);
  await subject.integrations.remove({ organizationId: first, id: ids[0] ?? '' });
  await wait(40);
  expect(await newest(second, taken)).toEqual(['verified', 'FOUND', 'link']);
});

test('a page on an address that is not public is blocked, whatever its name', async () => {
  const organizationId = await subject.organization();
  const guarded = pageOutbound('10.1.2.3');
  const look = pageLooker({ outbound: guarded, publicUrl: PUBLIC_URL, toolVersion: 'test' });
  await job.service.stop(0);
  job = startService(subject, { look });
  const id = await declare(organizationId, 'shop.test/', LINK);
  expect(await newest(organizationId, id)).toEqual(['pending', 'BLOCKED', undefined]);
  expect(pages.requests).toEqual([]);
  await guarded.close();
});
