// `make screenshots`: pictures of the console for the documentation, in light and in dark, into docs/images.
//
//   node scripts/screenshots/screenshots.mjs [SOURCE]
//
// SOURCE is a folder of dated folders; by default a year of real days beside this repository (or in REAL_DATA), else the sample days.
// Its newest days are published into a temporary store; usage is invented, and the webhook endpoint is a server of this script.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { createAuthority } from '../../dist/runtime/certificates.js';
import { badgesPage } from './badges-page.mjs';
import { inventUsage } from './invented-usage.mjs';

const ROOT = join(import.meta.dirname, '../..');
const IMAGES = join(ROOT, 'docs/images');
const SIZE = { width: 1200, height: 900 };
const BYTES_MAX = 150_000;
/** Published days, which charts show. */
const DAYS_MAX = 90;
const ADDRESS = 'ada@acme.example';
/** A category with many changes. */
const RANKING = { real: 'text', sample: 'code' };
/** Models with many figures for badges. */
const BADGES = {
  real: { ranked: 'claude-fable-5', scored: 'gpt-5', sold: 'gpt-5.4-mini' },
  sample: { ranked: 'aurora-2', scored: 'aurora-2', sold: 'heron-70b' },
};

const REAL = process.env.REAL_DATA ?? join(ROOT, '../shared/data/real');
const source = process.argv[2] ?? (existsSync(REAL) ? REAL : join(ROOT, 'fixtures/days'));
if (source !== REAL) console.log(`No real days found: the pictures show ${source}.`);
const days = readdirSync(source)
  .filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name))
  .sort()
  .slice(-DAYS_MAX);

const folder = mkdtempSync(join(tmpdir(), 'modelstats-screenshots-'));
const port = 8790;
const url = `http://127.0.0.1:${port}`;
const authority = await createAuthority('authority of the pictures');
writeFileSync(join(folder, 'ca.pem'), authority.ca);
const env = {
  ...process.env,
  MODELSTATS_STORE: `file:${join(folder, 'store')}`,
  MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}`,
  MODELSTATS_WORK: join(folder, 'work'),
  MODELSTATS_VIEW: join(folder, 'view'),
  MODELSTATS_MAIL: join(folder, 'mail'),
  MODELSTATS_PORT: String(port),
  MODELSTATS_PUBLIC_URL: url,
  MODELSTATS_OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
  MODELSTATS_WEBHOOKS_POLL_SECONDS: '0.2',
  MODELSTATS_POLL_SECONDS: '0.5',
  MODELSTATS_LOG_LEVEL: 'warn',
  NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
};

const COMMAND = join(ROOT, 'dist/bin/modelstats.js');
const modelstats = (...args) => execFileSync(process.execPath, [COMMAND, ...args], { env, stdio: 'pipe' });
const publish = (day) => modelstats('nightly', '--source', source, '--day', day, '--accept');

/** Starts the service; resolves when it listens. */
async function serve() {
  const child = spawn(process.execPath, [COMMAND, 'serve', '--with-console', '--with-webhooks', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface(child.stdout), 'line');
  return child;
}

/** A receiver that accepts all webhooks. */
async function receive() {
  const server = createServer(authority.issue({ names: ['localhost'] }), (request, response) => {
    request.resume().on('end', () => response.end('{"taken": true}'));
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return server;
}

/** The link in the newest mail. */
async function readLink() {
  const mail = join(folder, 'mail');
  for (;;) {
    const newest = existsSync(mail) ? readdirSync(mail).sort().at(-1) : undefined;
    const text = newest === undefined ? '' : readFileSync(join(mail, newest), 'utf8');
    const [link] = /http\S+token=\S+/.exec(text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')) ?? [];
    if (link !== undefined) return link;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Signs up and creates an organization; resolves to its path. */
async function signUp(page) {
  await page.goto(`${url}/console/sign-up`);
  await page.getByLabel('Email address').fill(ADDRESS);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.goto(await readLink());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Name of the organization').fill('Acme');
  await page.getByRole('button', { name: 'Create the organization' }).click();
  await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
  return page.url();
}

async function createKey(page, organization, name) {
  await page.goto(`${organization}/keys`);
  await page.getByLabel('Purpose').fill(name);
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
}

/** Registers an endpoint; resolves to the path of its page. */
async function registerEndpoint(page, organization, address) {
  await page.goto(`${organization}/webhooks/new`);
  await page.getByLabel('Address', { exact: true }).fill(address);
  await page.getByLabel('Description').fill('prices and ranks for the dashboard');
  for (const topic of ['pricing.updated', 'ranking.updated', 'snapshot.published'])
    await page.getByLabel(topic).check();
  await page.getByLabel('Positions 1 to').evaluate((field) => {
    field.closest('details').open = true;
  });
  await page.getByLabel('Positions 1 to').fill('10');
  await page.getByRole('button', { name: 'Register it' }).click();
  await page.getByRole('link', { name: 'Go to the endpoint' }).click();
  return page.url();
}

/** Opens a ranked model with prices, scores and ranks, if possible one whose prices changed. */
async function goToModel(page, ranking) {
  await page.goto(ranking);
  const links = await page
    .getByRole('rowheader')
    .getByRole('link')
    .evaluateAll((all) => all.map(({ href }) => href));
  let best = links[0];
  for (const link of links.toReversed()) {
    await page.goto(`${link}?days=90`);
    if ((await page.locator('figure').count()) < 3) continue;
    best = link;
    if ((await page.locator('#prices').getByText('no change').count()) === 0) break;
  }
  await page.goto(`${best}?days=90`);
}

/** Captures a page below its menus, in light and in dark. */
async function picture(page, name, { from } = {}) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate((selector) => {
      if (selector === undefined) scrollTo(0, 0);
      else scrollTo(0, document.querySelector(selector).offsetTop - 16);
    }, from);
    const path = join(IMAGES, `${name}-${colorScheme}.png`);
    await page.screenshot({ path });
    const { size } = statSync(path);
    console.log(`${path.slice(ROOT.length + 1)}  ${size} bytes`);
    if (size > BYTES_MAX) throw new Error(`${path} has more than ${BYTES_MAX} bytes`);
  }
}

/** Badges as on another site, in light and in dark. */
async function pictureOfBadges(context) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 720, height: 200 });
  await page.setContent(badgesPage(url, BADGES[source === REAL ? 'real' : 'sample']), { waitUntil: 'load' });
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(IMAGES, `badges-${colorScheme}.png`) });
  }
  await page.close();
}

let service;
let browser;
let receiver;
try {
  console.log(`Publishing ${days.length} days …`);
  for (const day of days.slice(0, -1)) publish(day);
  service = await serve();
  receiver = await receive();
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: SIZE });
  const organization = await signUp(page);
  const organizationId = organization.split('/').at(-1);
  modelstats('orgs', 'set-plan', '--org', organizationId, '--plan', 'builder');
  for (const name of ['dashboard', 'nightly job']) await createKey(page, organization, name);
  await inventUsage(env.MODELSTATS_DATABASE, organizationId);
  mkdirSync(IMAGES, { recursive: true });
  await page.goto(`${organization}/usage`);
  await picture(page, 'usage');
  await page.goto(organization);
  await picture(page, 'overview');

  modelstats('orgs', 'set-plan', '--org', organizationId, '--plan', 'commercial');
  const address = `https://localhost:${receiver.address().port}/hooks/models`;
  const endpoint = await registerEndpoint(page, organization, address);
  while ((await page.getByText('active', { exact: true }).count()) === 0) await page.reload();
  publish(days.at(-1));
  const ranking = `${organization}/data/rankings?category=${RANKING[source === REAL ? 'real' : 'sample']}&days=90`;
  await page.goto(ranking);
  await picture(page, 'rankings');
  await goToModel(page, ranking);
  await picture(page, 'model', { from: 'h1' });
  await page.goto(endpoint);
  await picture(page, 'webhooks');
  await pictureOfBadges(page.context());
} finally {
  await browser?.close();
  service?.kill('SIGTERM');
  if (service?.exitCode === null) await once(service, 'close');
  receiver?.close();
  receiver?.closeAllConnections();
  rmSync(folder, { recursive: true });
}
