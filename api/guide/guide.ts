/**
 * The documentation at `/docs` (specification "Documentation"). Its text is in `pages/`; plans, limits, routes and fields come from the
 * program. All pages are rendered at start and work without a script.
 */
import { readFileSync } from 'node:fs';
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
import { HTML_TYPE, type ResponseHeaders } from '../server/response-headers.ts';
import type { BaseUrlOf } from '../server/urls.ts';
import { type GuideFacts, pageValuesFrom } from './facts.ts';
import { type Frame, framePage, GUIDE_HEADERS, type NavigationPart, OnThisPage, SCRIPT_HEADERS } from './layout.tsx';
import { GUIDE, type GuidePage, type GuidePages, MIRROR_PROGRAM, readMirrorProgram, readPages } from './pages.ts';
import { missingPage, searchRoute } from './search.tsx';
import { placesOf, QUERY_LENGTH_MAX, SearchIndex } from './search-index.ts';

export interface GuideSettings extends GuideFacts {
  /** The base path; empty for none. */
  readonly root: string;
}

export interface Guide {
  readonly surface: AddSurface;
  readonly showErrorPage: ShowErrorPage;
  /** For tests. */
  readonly pages: GuidePages;
}

/** Responses replace it by the address that was requested. */
const SHOWN_ADDRESS = 'https://api.example.com';

/** Addresses whose pages are cached, about a megabyte each; only one is used if `MODELSTATS_PUBLIC_URL` is set. */
const ADDRESSES_MAX = 8;

const [FOLDER, STYLES, SCRIPT] = ['docs/assets', 'guide.css', 'copy-code.js'];

/** Throws if a page is wrong. */
export async function makeGuide(settings: GuideSettings): Promise<Guide> {
  const { root } = settings;
  const pages = readPages(pageValuesFrom(settings), root);
  const files = {
    [STYLES]: readStyleSheet(join(import.meta.dirname, STYLES)),
    [SCRIPT]: readFileSync(join(import.meta.dirname, SCRIPT)),
  };
  const pathOfFile = (name: string) => `${root}/${FOLDER}/${name}?v=${versionOf(files)}`;
  const frame: Frame = {
    root,
    stylesheet: pathOfFile(STYLES),
    script: pathOfFile(SCRIPT),
    hasConsole: settings.hasConsole,
    queryLengthMax: QUERY_LENGTH_MAX,
    parts: navigationOf(pages, root),
  };
  const all = pages.parts.flatMap((part) => part.pages);
  const documents = all.map((page) => pageDocument(page, frame));
  if (all.some(({ name }) => name === 'mirror')) documents.push(mirrorProgram());
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
      bindDocuments(app, { documents, baseUrlOf });
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

interface Document {
  /** Below the base path. */
  readonly paths: readonly string[];
  readonly type: string;
  readonly headers: ResponseHeaders;
  readonly textFor: (baseUrl: string) => string;
}

function pageDocument({ html, title, path, sections }: GuidePage, frame: Frame): Document {
  const below = sections.filter(({ depth }) => depth === 2);
  const links = below.map(({ heading, anchor }) => ({ href: `#${anchor}`, label: heading }));
  const list = links.length < 3 ? '' : `${render(OnThisPage({ sections: links }))}\n`;
  // After the title and the first paragraph.
  const body = html.replace(/^<h1.*\n<p>[\s\S]*?<\/p>\n/, (start) => start + list);
  const page = framePage(frame, body, { title, path: frame.root + path, hasScript: true });
  return {
    paths: path === GUIDE ? [path, `${path}/`] : [path],
    type: HTML_TYPE,
    headers: SCRIPT_HEADERS,
    textFor: (baseUrl) => withAddress(page, escapeHtml(baseUrl)),
  };
}

function mirrorProgram(): Document {
  const program = readMirrorProgram();
  return {
    paths: [`${GUIDE}/${MIRROR_PROGRAM}`],
    type: 'text/x-python; charset=utf-8',
    headers: { ...GUIDE_HEADERS, 'Content-Disposition': `attachment; filename="${MIRROR_PROGRAM}"` },
    textFor: (baseUrl) => withAddress(program, baseUrl),
  };
}

interface DocumentsDeps {
  readonly documents: readonly Document[];
  readonly baseUrlOf: BaseUrlOf;
}

/** Each document is made and compressed once per address. */
function bindDocuments(app: FastifyInstance, { documents, baseUrlOf }: DocumentsDeps): void {
  const cached = new LRUCache<string, Map<Document, Asset>>({ max: ADDRESSES_MAX });
  const assetOf = (document: Document, baseUrl: string) => {
    const ofAddress = cached.get(baseUrl) ?? new Map<Document, Asset>();
    cached.set(baseUrl, ofAddress);
    const { type, headers, textFor } = document;
    const asset = ofAddress.get(document) ?? new Asset(type, Buffer.from(textFor(baseUrl)), headers);
    ofAddress.set(document, asset);
    return asset;
  };
  for (const document of documents) bindAsset(app, document.paths, (request) => assetOf(document, baseUrlOf(request)));
}

function withAddress(text: string, baseUrl: string): string {
  return text.replaceAll(SHOWN_ADDRESS, () => baseUrl);
}
