import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSignatureProblem } from '../../api/webhooks/endpoints/signature.ts';
import { confirm, goTo, nameOrganization, reloadUntil, sectionOf, signUp } from '../support/browser/console-user.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';
import { startTlsReceiver, type TlsReceiver } from '../support/server/tls-receiver.ts';

interface Received {
  readonly header: string | undefined;
  readonly body: Buffer;
}

const folder = mkdtempSync(join(tmpdir(), 'modelstats-receiver-'));
const received: Received[] = [];
let receiver: TlsReceiver;
let status = 200;

// Before the service, which reads at its start which certificates it trusts.
beforeAll(async () => {
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ header: String(request.headers['x-service-signature']), body: await buffer(request) });
    response.writeHead(status).end(status === 200 ? 'thanks for it' : '<b>not today</b>');
  };
  receiver = await startTlsReceiver({ handler: (...call) => void take(...call) });
  writeFileSync(join(folder, 'ca.pem'), receiver.ca);
});
afterAll(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true });
});
const service = useConsoleService({
  args: ['--with-webhooks'],
  env: () => ({
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    MODELSTATS_OUTBOUND_ALLOW: '127.0.0.0/8',
    MODELSTATS_WEBHOOKS_POLL_SECONDS: '0.1',
  }),
});
const chromium = useChromium();

test('an endpoint is registered, pinged, looked at, given a new secret, pinged again and removed', async () => {
  status = 200;
  const page = await openEndpoints('ada@example.com');
  const secret = await register(page);
  await page.reload();
  expect(await page.getByText(secret).count(), 'a secret is shown once').toBe(0);
  await goToEndpoint(page);
  await untilState(page, 'active');
  expect(signatureProblem(secret)).toBeUndefined();

  await page.getByRole('link', { name: /^Details/ }).click();
  await page.getByRole('heading', { name: 'Delivery of ping' }).waitFor();
  const attempt = sectionOf(page, 'Attempt 1');
  expect(await attempt.innerText()).toContain('thanks for it');
  expect(await attempt.getByText('delivered', { exact: true }).count()).toBe(1);
  await page.getByRole('link', { name: 'The endpoint' }).click();

  await confirm(sectionOf(page, 'Endpoint'), 'New secret');
  const renewed = (await sectionOf(page, 'Secret').locator('pre').innerText()).trim();
  expect(renewed).not.toBe(secret);
  await page.getByRole('link', { name: 'Go on to the endpoint' }).click();
  await page.getByRole('button', { name: 'Send a ping' }).click();
  await page.getByText('A ping waits to be sent.').waitFor();
  await reloadUntil(page, async () => (await deliveries(page).getByText('delivered', { exact: true }).count()) === 2);
  expect([signatureProblem(renewed), signatureProblem(secret)]).toEqual([undefined, expect.any(String)]);

  await page.getByLabel('State').selectOption('failed');
  await expect.poll(() => page.url()).toContain('state=failed');
  await page.getByText('None.').waitFor();
  await confirm(sectionOf(page, 'Endpoint'), 'Remove');
  await page.getByText('The endpoint was removed.').waitFor();
  expect(await page.getByText(receiver.url).count()).toBe(0);
});

test('an endpoint that fails its ping waits to be mended, its page shows the answer as text, and it can be asked again', async () => {
  status = 500;
  const page = await openEndpoints('bob@example.com');
  await register(page);
  await goToEndpoint(page);
  await reloadUntil(page, async () => (await deliveries(page).innerText()).includes('500'));
  await untilState(page, 'registered');
  await page
    .getByRole('link', { name: /^Details/ })
    .first()
    .click();
  expect(await sectionOf(page, 'Attempt 1').locator('pre').innerText()).toBe('<b>not today</b>');
  await page.getByRole('link', { name: 'The endpoint' }).click();
  status = 200;
  await page.getByRole('button', { name: 'Send another ping' }).click();
  await untilState(page, 'active');
});

/** Signs up, with an organization whose plan has webhooks, and goes to its endpoints. */
async function openEndpoints(email: string): Promise<Page> {
  const page = await chromium.open();
  await signUp(page, service, email);
  const id = await nameOrganization(page, 'Acme');
  await goTo(page, 'Webhooks');
  expect(await page.getByRole('link', { name: 'Register an endpoint' }).count(), 'not on the Community plan').toBe(0);
  await service.setPlan(id, 'commercial');
  await page.reload();
  return page;
}

/** Registers the receiver for prices; resolves to the secret. */
async function register(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Register an endpoint' }).click();
  await page.getByLabel('Address', { exact: true }).fill(receiver.url);
  await page.getByLabel('pricing.updated').check();
  await page.getByRole('button', { name: 'Register it' }).click();
  const secret = (await sectionOf(page, 'Secret').locator('pre').innerText()).trim();
  await page.getByRole('link', { name: 'Go on to the endpoint' }).click();
  return secret;
}

async function goToEndpoint(page: Page): Promise<void> {
  await goTo(page, 'Webhooks');
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor();
}

const deliveries = (page: Page) => page.getByRole('table', { name: 'Deliveries' });

function untilState(page: Page, state: string): Promise<void> {
  return reloadUntil(
    page,
    async () => (await sectionOf(page, 'Endpoint').getByText(state, { exact: true }).count()) === 1,
  );
}

/** Why the newest delivery would not be taken by a receiver that has the secret. */
function signatureProblem(secret: string): string | undefined {
  const { header, body = Buffer.alloc(0) } = received.at(-1) ?? {};
  return findSignatureProblem({ header, body, secret, now: new Date() });
}
