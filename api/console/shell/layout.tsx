import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { ComponentChildren, JSX } from 'preact';
import type { Capability } from '../../data/access/rights.ts';
import { addVersionedAssets } from '../../server/assets.ts';
import { renderPage } from '../../server/pages/html.tsx';
import { ICON, ICON_TYPE, readStyleSheet } from '../../server/pages/styles.ts';
import type { OrganizationPages, PersonPages } from './routes.ts';

/** Path of the console's files, below its root. */
export const ASSETS = 'assets';

export interface DocumentProps {
  readonly title: string;
  /** Such as `/stats/console`. */
  readonly root: string;
  /** Changes with the files, so that browsers load new ones. */
  readonly version: string;
  readonly header: JSX.Element;
  readonly children?: ComponentChildren;
}

/** htmx may not write styles or evaluate text, which the page's policy forbids. */
export function renderDocument({ title, root, version, header, children }: DocumentProps): string {
  const service = root.slice(0, -'/console'.length);
  const asset = (name: string) => `${root}/${ASSETS}/${name}?v=${version}`;
  const head = (
    <>
      <meta
        name="htmx-config"
        content='{"includeIndicatorStyles":false,"allowEval":false,"selfRequestsOnly":true,"historyCacheSize":0}'
      />
      <link rel="stylesheet" href={asset('console.css')} />
      <link rel="stylesheet" href={asset('charts.css')} />
      <link rel="icon" type={ICON_TYPE} href={service + ICON} />
      <script src={asset('htmx.min.js')} defer></script>
      <script src={asset('console.js')} defer></script>
    </>
  );
  const body = (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      {header}
      <main id="main" tabindex={-1}>
        {children}
      </main>
      <footer>
        <p>
          <a href={`${service}/docs`}>Documentation</a>
        </p>
      </footer>
    </>
  );
  return renderPage({ title: `${title} · modelstats`, head, children: body });
}

export function AnonymousHeader({ root }: { readonly root: string }): JSX.Element {
  return (
    <header class="top">
      <Brand href={root} />
    </header>
  );
}

export function PersonHeader({ pages }: { readonly pages: PersonPages }): JSX.Element {
  return (
    <header class="top">
      <Brand href={pages.root} />
      <Organizations pages={pages} current={undefined} />
      <Person pages={pages} />
    </header>
  );
}

/** With the organization's pages, the current one marked. */
export function OrganizationHeader({
  pages,
  here,
}: {
  readonly pages: OrganizationPages;
  readonly here: string;
}): JSX.Element {
  const links = NAVIGATION.filter(
    ({ isForOwners = false, capability }) =>
      (pages.role === 'owner' || !isForOwners) && (capability === undefined || pages.offers(capability)),
  );
  return (
    <>
      <header class="top">
        <Brand href={pages.path} />
        <Organizations pages={pages} current={pages.organization.name} />
        <Person pages={pages} />
      </header>
      <nav class="pages" aria-label="Pages of the organization">
        <ul>
          {links.map(({ to, label }) => (
            <li>
              <a href={pages.path + to} aria-current={isHere(here.slice(pages.path.length), to) ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}

interface NavigationLink {
  readonly to: string;
  readonly label: string;
  readonly isForOwners?: boolean;
  /** Hidden unless the capability is offered. */
  readonly capability?: Capability;
}

const NAVIGATION: readonly NavigationLink[] = [
  { to: '', label: 'Overview' },
  { to: '/keys', label: 'Keys' },
  { to: '/usage', label: 'Usage' },
  { to: '/data', label: 'Data' },
  { to: '/webhooks', label: 'Webhooks', capability: 'webhooks' },
  { to: '/integrations', label: 'Integrations', capability: 'attribution' },
  { to: '/connections', label: 'Connections', capability: 'mcp' },
  { to: '/members', label: 'Members' },
  { to: '/audit', label: 'Audit log', isForOwners: true },
  { to: '/settings', label: 'Settings' },
];

function isHere(path: string, to: string): boolean {
  const [plain = ''] = path.split('?', 1);
  return to === '' ? plain === '' || plain === '/' : plain === to || plain.startsWith(`${to}/`);
}

function Brand({ href }: { readonly href: string }): JSX.Element {
  return (
    <a class="brand" href={href}>
      modelstats
    </a>
  );
}

function Organizations({
  pages,
  current,
}: {
  readonly pages: PersonPages;
  readonly current: string | undefined;
}): JSX.Element {
  return (
    <details class="menu">
      <summary>
        <span class="unseen">Organization: </span>
        <span>{current ?? 'Choose an organization'}</span>
      </summary>
      <ul>
        {pages.memberships.map(({ organizationId, organizationName }) => (
          <li>
            <a href={`${pages.root}/orgs/${organizationId}`}>{organizationName}</a>
          </li>
        ))}
        <li>
          <a href={`${pages.root}/welcome`}>New organization …</a>
        </li>
      </ul>
    </details>
  );
}

function Person({ pages }: { readonly pages: PersonPages }): JSX.Element {
  return (
    <details class="menu end">
      <summary>
        <span class="unseen">Signed in as </span>
        <span>{pages.session.person.email}</span>
      </summary>
      <ul>
        <li>
          <a href={`${pages.root}/you`}>You and your sessions</a>
        </li>
        <li>
          <form method="post" action={`${pages.root}/sign-out`}>
            <input type="hidden" name="_csrf" value={pages.token} />
            <button type="submit" class="link">
              Sign out
            </button>
          </form>
        </li>
      </ul>
    </details>
  );
}

const CONSOLE = join(import.meta.dirname, '..');

/** By name. */
const FILES: Readonly<Record<string, () => Buffer>> = {
  'console.css': () => readStyleSheet(join(CONSOLE, 'assets/console.css')),
  'charts.css': () => readFileSync(join(CONSOLE, '../charts/charts.css')),
  'console.js': () => readFileSync(join(CONSOLE, 'assets/console.js')),
  'htmx.min.js': () => readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js')),
};

/** Serves the files from memory; returns a version that changes with them. */
export function addAssets(scope: FastifyInstance): string {
  const files = Object.fromEntries(Object.entries(FILES).map(([name, read]) => [name, read()]));
  return addVersionedAssets(scope, ASSETS, { files });
}
