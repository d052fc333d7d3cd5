import robotsModule from 'robots-parser';
import { findSource, type SourceShown } from './find-source.ts';
import { OwnAddresses } from './own-addresses.ts';
import { decodePage, parsePage } from './parse-page.ts';

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
export function readRobots({ body, robotsUrl, url, agent }: RobotsOrder): boolean {
  const text = new TextDecoder().decode(body);
  return robotsParser(robotsUrl, text).isAllowed(url, agent) ?? true;
}
