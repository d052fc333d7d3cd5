/**
 * All pages of the documentation, rendered, and their search index. Loaded with the renderer when the first page is requested: a
 * process that only serves data needs neither.
 */
import { render } from 'preact-render-to-string';
import { API_ERRORS } from '../data/api-errors.ts';
import { escapeHtml } from '../server/pages/html.tsx';
import { HTML_TYPE, type ResponseHeaders } from '../server/response-headers.ts';
import { pageValuesFrom } from './facts.ts';
import type { GuideFacts } from './guide-facts.ts';
import { type Frame, framePage, GUIDE_HEADERS, type NavigationPart, OnThisPage, SCRIPT_HEADERS } from './layout.tsx';
import {
  GUIDE,
  type GuidePage,
  type GuidePages,
  MIRROR_PROGRAM,
  QUERY_LENGTH_MAX,
  readMirrorProgram,
  readPages,
} from './pages.ts';
import { placesOf, SearchIndex } from './search-index.ts';

export interface Content {
  readonly pages: GuidePages;
  readonly frame: Frame;
  readonly index: SearchIndex;
  /** By name. */
  readonly documents: ReadonlyMap<string, Document>;
  /** Inserts the address of the service. */
  readonly withAddress: (text: string, baseUrl: string) => string;
}

export interface Document {
  readonly type: string;
  readonly headers: ResponseHeaders;
  readonly textFor: (baseUrl: string) => string;
}

export interface ContentSettings extends GuideFacts {
  /** The base path; empty for none. */
  readonly root: string;
  readonly stylesheet: string;
  readonly script: string;
}

/** Throws if a page is wrong. */
export async function renderContent(settings: ContentSettings): Promise<Content> {
  const { root, hasConsole, stylesheet, script } = settings;
  const pages = await readPages(pageValuesFrom(settings), root);
  const frame: Frame = {
    root,
    hasConsole,
    stylesheet,
    script,
    queryLengthMax: QUERY_LENGTH_MAX,
    parts: navigationOf(pages, root),
  };
  const all = pages.parts.flatMap((part) => part.pages);
  const documents = new Map<string, Document>(all.map((page) => [page.name, pageDocument(page, frame)]));
  documents.set(MIRROR_PROGRAM, mirrorProgram());
  return { pages, frame, documents, withAddress, index: new SearchIndex(placesOf(all, { root, errors: API_ERRORS })) };
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

function pageDocument({ html, title, path, sections }: GuidePage, frame: Frame): Document {
  const below = sections.filter(({ depth }) => depth === 2);
  const links = below.map(({ heading, anchor }) => ({ href: `#${anchor}`, label: heading }));
  const list = links.length < 3 ? '' : `${render(OnThisPage({ sections: links }))}\n`;
  // After the title and the first paragraph.
  const body = html.replace(/^<h1.*\n<p>[\s\S]*?<\/p>\n/, (start) => start + list);
  const page = framePage(frame, body, { title, path: frame.root + path, hasScript: true });
  return {
    type: HTML_TYPE,
    headers: SCRIPT_HEADERS,
    textFor: (baseUrl) => withAddress(page, escapeHtml(baseUrl)),
  };
}

function mirrorProgram(): Document {
  const program = readMirrorProgram();
  return {
    type: 'text/x-python; charset=utf-8',
    headers: { ...GUIDE_HEADERS, 'Content-Disposition': `attachment; filename="${MIRROR_PROGRAM}"` },
    textFor: (baseUrl) => withAddress(program, baseUrl),
  };
}

/** Responses replace it by the address that was requested. */
const SHOWN_ADDRESS = 'https://api.example.com';

function withAddress(text: string, baseUrl: string): string {
  return text.replaceAll(SHOWN_ADDRESS, () => baseUrl);
}
