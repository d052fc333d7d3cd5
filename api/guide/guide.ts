/**
 * The documentation for those who use the service, at `/docs` (specification "Documentation"). Its text lies in `pages/`, what it says of
 * plans, limits, routes and fields is made of the program, and nothing of it needs a script. All of it is made at the start and kept.
 */
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { render } from 'preact-render-to-string';
import { PUBLIC_REQUESTS } from '../accounts/address-limit.ts';
import { API_ERRORS } from '../data/api-errors.ts';
import type { AddSurface } from '../data/app.ts';
import { Asset, addVersionedAssets, bindAsset, versionOf } from '../server/assets.ts';
import { bindRoute } from '../server/bind-route.ts';
import type { ShowErrorPage } from '../server/pages/error-pages.ts';
import { escapeHtml } from '../server/pages/html.tsx';
import { readStyleSheet } from '../server/pages/styles.ts';
import { HTML_TYPE } from '../server/response-headers.ts';
import type { BaseUrlOf } from '../server/urls.ts';
import { type GuideFacts, wordsFrom } from './facts.ts';
import { type Frame, framePage, GUIDE_HEADERS, type NavigationPart, OnThisPage } from './layout.tsx';
import { GUIDE, type GuidePage, type GuidePages, readPages } from './pages.ts';
import { missingPage, searchRoute } from './search.tsx';
import { placesOf, QUERY_LENGTH_MAX, SearchIndex } from './search-index.ts';

export interface GuideSettings extends GuideFacts {
  /** The base path; empty for none. */
  readonly root: string;
}

export interface Guide {
  readonly surface: AddSurface;
  /** Gives the pages of error codes the look of the others. */
  readonly showErrorPage: ShowErrorPage;
  /** For tests: what is shown. */
  readonly pages: GuidePages;
}

/** What pages show in place of the service's address; every answer has the address by which it was asked for. */
const SHOWN_ADDRESS = 'https://api.example.com';

/**
 * Addresses for which pages are kept: one, where `MODELSTATS_PUBLIC_URL` is set, else those by which the service is asked for lately. Each
 * takes about a megabyte.
 */
const ADDRESSES_MAX = 8;

const [FOLDER, FILE] = ['docs/assets', 'guide.css'];

/** Makes the guide. Throws where a page is wrong. */
export async function makeGuide(settings: GuideSettings): Promise<Guide> {
  const { root } = settings;
  const pages = readPages(wordsFrom(settings), root);
  const files = { [FILE]: readStyleSheet(join(import.meta.dirname, FILE)) };
  const frame: Frame = {
    root,
    stylesheet: `${root}/${FOLDER}/${FILE}?v=${versionOf(files)}`,
    hasConsole: settings.hasConsole,
    queryLengthMax: QUERY_LENGTH_MAX,
    parts: navigationOf(pages, root),
  };
  const all = pages.parts.flatMap((part) => part.pages);
  const htmlOf = new Map(all.map((page) => [page.path, frameOf(page, frame)]));
  const index = new SearchIndex(placesOf(all, { root, errors: API_ERRORS }));
  return {
    pages,
    showErrorPage: async ({ title, body, path }) => ({
      html: framePage(frame, body, { title, path }),
      headers: GUIDE_HEADERS,
    }),
    surface: async (app, { baseUrlOf, limitAddress, missing }) => {
      const limit = (address: string) =>
        limitAddress(address, { what: PUBLIC_REQUESTS, perMinute: settings.publicRequestsMax });
      addVersionedAssets(app, FOLDER, { files });
      bindPages(app, { htmlOf, baseUrlOf });
      const shown = (text: string, request: FastifyRequest) => withAddress(text, baseUrlOf(request));
      bindRoute(app, searchRoute({ frame, index, limit, withAddress: shown }));
      missing.add(root + GUIDE, missingPage({ frame, index, limit }));
    },
  };
}

function navigationOf({ parts }: GuidePages, root: string): readonly NavigationPart[] {
  const written = parts.map(({ title, pages }) => ({
    title,
    links: pages.map((page) => ({ href: root + page.path, label: page.title })),
  }));
  const made = [
    { href: `${root}${GUIDE}/errors`, label: 'Error codes' },
    { href: `${root}${GUIDE}/reference`, label: 'API reference' },
  ];
  return written.map((part, index) =>
    index === written.length - 1 ? { ...part, links: [...made, ...part.links] } : part,
  );
}

function frameOf({ html, title, path, sections }: GuidePage, frame: Frame): string {
  const below = sections.filter(({ depth }) => depth === 2);
  const links = below.map(({ heading, anchor }) => ({ href: `#${anchor}`, label: heading }));
  // Behind the title, which a page begins with.
  const body = links.length < 3 ? html : html.replace('</h1>\n', `</h1>\n${render(OnThisPage({ sections: links }))}\n`);
  return framePage(frame, body, { title, path: frame.root + path });
}

interface PagesDeps {
  readonly htmlOf: ReadonlyMap<string, string>;
  readonly baseUrlOf: BaseUrlOf;
}

/** Pages come from memory, each made for an address once and packed once. */
function bindPages(app: FastifyInstance, { htmlOf, baseUrlOf }: PagesDeps): void {
  const kept = new LRUCache<string, Map<string, Asset>>({ max: ADDRESSES_MAX });
  const assetOf = (path: string, html: string, baseUrl: string) => {
    const ofAddress = kept.get(baseUrl) ?? new Map<string, Asset>();
    kept.set(baseUrl, ofAddress);
    const make = () => new Asset(HTML_TYPE, Buffer.from(withAddress(html, escapeHtml(baseUrl))), GUIDE_HEADERS);
    const asset = ofAddress.get(path) ?? make();
    ofAddress.set(path, asset);
    return asset;
  };
  for (const [path, html] of htmlOf) {
    const paths = path === GUIDE ? [path, `${path}/`] : [path];
    bindAsset(app, paths, (request) => assetOf(path, html, baseUrlOf(request)));
  }
}

function withAddress(text: string, baseUrl: string): string {
  return text.replaceAll(SHOWN_ADDRESS, () => baseUrl);
}
