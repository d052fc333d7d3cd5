import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  confirm,
  createKey,
  goTo,
  nameOrganization,
  organizationOf,
  reloadUntil,
  rowOf,
  sectionOf,
  signUp,
} from '../support/browser/console-user.ts';
import { useChromium } from '../support/browser/use-chromium.ts';
import { useConsoleService } from '../support/browser/use-console-service.ts';

const service = useConsoleService();
const chromium = useChromium();

const WAYS: readonly { readonly name: string; readonly options: BrowserContextOptions }[] = [
  { name: 'with scripts', options: {} },
  { name: 'without scripts', options: { javaScriptEnabled: false } },
  { name: 'on a phone', options: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
];

describe.each(WAYS)('$name', ({ name, options }) => {
  const address = (person: string) => `${person}-${name.replaceAll(' ', '-')}@example.com`;

  test('somebody signs up, makes a key that works, sees it counted, and revokes it', async () => {
    const page = await chromium.open(options);
    await signUp(page, service, address('ada'));
    await nameOrganization(page, 'Acme');
    const key = await createKey(page, 'dashboard');

    const line = (await sectionOf(page, 'Try it').locator('pre').innerText()).replace(
      /^curl /,
      'curl --silent --show-error ',
    );
    const { stdout } = await promisify(execFile)('sh', ['-c', line]);
    expect(JSON.parse(stdout).models).toHaveLength(3);
    expect(await statusWith(key)).toBe(200);

    await goTo(page, 'Usage');
    const row = sectionOf(page, 'By key').getByRole('row', { name: 'dashboard' });
    await reloadUntil(page, async () => (await row.getByRole('cell').first().allInnerTexts())[0] === '2');

    await goTo(page, 'Keys');
    await confirm(rowOf(page, 'dashboard'), 'Revoke');
    await page.getByText('The key was revoked.').waitFor();
    expect(await statusWith(key)).toBe(401);
    expect(await rowOf(page, 'dashboard').innerText()).toContain('revoked');
  });

  test('somebody who is invited joins as a member, sees what members see, and more as an owner', async () => {
    const owner = await chromium.open(options);
    await signUp(owner, service, address('bob'));
    const id = await nameOrganization(owner, 'Bob & Co');
    await goTo(owner, 'Members');
    await owner.getByLabel('Email address').fill(address('eve'));
    await owner.getByRole('button', { name: 'Send an invitation' }).click();
    await owner.getByText('The invitation was sent.').waitFor();

    const member = await chromium.open(options);
    await member.goto(await service.mailbox.readLink(address('eve')));
    await member.getByLabel('Email address').first().fill(address('eve'));
    await member.getByRole('button', { name: 'Send me a link' }).click();
    await member.getByRole('heading', { name: 'Check your email' }).waitFor();
    await member.goto(await service.mailbox.readLink(address('eve')));
    await member.getByRole('button', { name: 'Sign in' }).click();
    await member.getByRole('heading', { name: 'Join Bob & Co?' }).waitFor();
    await member.getByRole('button', { name: 'Join' }).click();
    await member.getByRole('heading', { level: 1, name: 'Bob & Co' }).waitFor();
    expect(organizationOf(member)).toBe(id);

    expect(await member.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await goTo(member, 'Members');
    expect(await member.getByRole('button', { name: 'Send an invitation' }).count()).toBe(0);
    const audit = `${service.url}/console/orgs/${id}/audit`;
    expect((await member.goto(audit))?.status()).toBe(404);
    const invite = await member.request.post(`${service.url}/console/orgs/${id}/members/invite`, {
      form: { email: 'a@b.c' },
    });
    expect(invite.status()).toBe(404);

    await owner.reload();
    await confirm(rowOf(owner, address('eve')), 'Make an owner');
    await owner.getByText('The role was changed.').waitFor();
    expect((await member.goto(audit))?.status()).toBe(200);
    expect(await rowOf(member, 'member.change_role').first().innerText()).toContain(address('bob'));
  });
});

/** What a request with a key is answered with. */
async function statusWith(key: string): Promise<number> {
  const response = await fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return response.status;
}
