import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  parse,
  type TreeAdapter,
} from 'parse5';
import robotsModule from 'robots-parser';
import { findSource, type SourceEvidence } from './find-source.ts';
import { OwnAddresses } from './own-addresses.ts';

/** Typed as an `export default`, but CommonJS exports the function itself. */
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

/** Untrusted content to parse: possibly long and malformed. */
export type ReadingOrder = PageOrder | RobotsOrder;

export interface PageOrder {
  readonly kind: 'page';
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly url: string;
  /** Of the service, with its base path. */
  readonly publicUrl: string;
  /** The organization that declared it. */
  readonly organizationId: string;
}

export interface RobotsOrder {
  readonly kind: 'robots';
  readonly body: Uint8Array;
  readonly robotsUrl: string;
  /** The URL to fetch. */
  readonly url: string;
  readonly agent: string;
}

export interface Readings {
  readonly page: SourceEvidence;
  /** Whether the agent may fetch the URL. */
  readonly robots: boolean;
}

export function read(order: ReadingOrder): Readings[ReadingOrder['kind']] {
  switch (order.kind) {
    case 'page':
      return readPage(order);
    case 'robots':
      return readRobots(order);
  }
}

export function readPage({ body, contentType, publicUrl, ...page }: PageOrder): SourceEvidence {
  return findSource(parsePage(decodePage(body, contentType)), page, new OwnAddresses(publicUrl));
}

/** RFC 9309: the longest rule of the agent's group, or else of the group for all. */
function readRobots({ body, robotsUrl, url, agent }: RobotsOrder): boolean {
  const text = new TextDecoder().decode(body);
  return robotsParser(robotsUrl, text).isAllowed(url, agent) ?? true;
}

/** Nesting of elements, the same as in browsers; the cost per element grows with it. */
const DEPTH_MAX = 512;

class TooDeep extends Error {}

/** Parses like a browser, up to the point where it is nested too deeply. */
function parsePage(html: string): DefaultTreeAdapterTypes.Document {
  const document = defaultTreeAdapter.createDocument();
  let depth = 0;
  const adapter: TreeAdapter<DefaultTreeAdapterMap> = {
    ...defaultTreeAdapter,
    createDocument: () => document,
    onItemPush: () => {
      depth += 1;
      if (depth > DEPTH_MAX) throw new TooDeep();
    },
    onItemPop: () => {
      depth -= 1;
    },
  };
  try {
    return parse(html, { treeAdapter: adapter, scriptingEnabled: true });
  } catch (error) {
    if (error instanceof TooDeep) return document;
    throw error;
  }
}

/** Searched for a page's charset. */
const HEAD_BYTES = 1024;

/** Decodes by byte order mark, Content-Type or meta element; default UTF-8. Never throws. */
function decodePage(body: Uint8Array, contentType: string): string {
  const head = Buffer.from(body.subarray(0, HEAD_BYTES)).toString('latin1');
  const fromMark = markOf(body);
  const fromHeader = charsetIn(contentType);
  // A readable meta element implies an ASCII-compatible charset.
  const fromPage = charsetIn(/<meta[^>]+charset\s*=[^>]+>/i.exec(head)?.[0] ?? '')?.replace(/^utf-16.*$/i, 'utf-8');
  for (const label of [fromMark, fromHeader, fromPage]) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(body);
    } catch {
      // Unknown charset.
    }
  }
  return new TextDecoder().decode(body);
}

function markOf(body: Uint8Array): string | undefined {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?\s*([^\s"';>]+)/i.exec(text)?.[1];
}
