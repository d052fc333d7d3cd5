import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  parse,
  type TreeAdapter,
} from 'parse5';
import robotsModule from 'robots-parser';
import { findSource, type SourceShown } from './find-source.ts';
import { OwnAddresses } from './own-addresses.ts';

/** Its types tell of an `export default`, but what CommonJS gives is the function itself. */
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

/** What a thread is to read: nothing of it is trusted, neither to be short nor to be well-formed. */
export type ReadingOrder = PageOrder | RobotsOrder;

export interface PageOrder {
  readonly kind: 'page';
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Where the page lies. */
  readonly url: string;
  /** Of the service, with its base path. */
  readonly publicUrl: string;
  /** Who has declared it. */
  readonly organizationId: string;
}

export interface RobotsOrder {
  readonly kind: 'robots';
  readonly body: Uint8Array;
  /** Where the file lies. */
  readonly robotsUrl: string;
  /** What is to be fetched. */
  readonly url: string;
  readonly agent: string;
}

export interface Readings {
  readonly page: SourceShown;
  /** Whether the file lets the agent fetch that address. */
  readonly robots: boolean;
}

/** Reads a page or a robots.txt. */
export function read(order: ReadingOrder): Readings[ReadingOrder['kind']] {
  switch (order.kind) {
    case 'page':
      return readPage(order);
    case 'robots':
      return readRobots(order);
  }
}

export function readPage({ body, contentType, publicUrl, ...page }: PageOrder): SourceShown {
  return findSource(parsePage(decodePage(body, contentType)), page, new OwnAddresses(publicUrl));
}

/** The rules of RFC 9309: the longest rule of the agent's own group decides, else of the group for all. */
function readRobots({ body, robotsUrl, url, agent }: RobotsOrder): boolean {
  const text = new TextDecoder().decode(body);
  return robotsParser(robotsUrl, text).isAllowed(url, agent) ?? true;
}

/** Elements inside each other; browsers keep to 512, too. The work for an element grows with it. */
const DEPTH_MAX = 512;

class TooDeep extends Error {}

/** The page as browsers read it, up to the place where it is nested too deep. */
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

/** What a page's charset is looked for in. */
const HEAD_BYTES = 1024;

/** The text of a page: by its byte order mark, by what the answer says, by what the page says, else as UTF-8. Never throws. */
function decodePage(body: Uint8Array, contentType: string): string {
  const head = Buffer.from(body.subarray(0, HEAD_BYTES)).toString('latin1');
  const marked = markOf(body);
  const told = charsetIn(contentType);
  // A page that could be read so far is in a charset like ASCII, whatever it says of itself.
  const said = charsetIn(/<meta[^>]+charset\s*=[^>]+>/i.exec(head)?.[0] ?? '')?.replace(/^utf-16.*$/i, 'utf-8');
  for (const label of [marked, told, said]) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(body);
    } catch {
      // No charset that anybody knows.
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
