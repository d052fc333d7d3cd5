import { createServer } from 'node:http';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { listenOnFreePort } from '../processes/servers.ts';

const CHROMIUM = '/usr/bin/chromium';
/** How long an element may take to be there, in milliseconds. */
const WAIT_MS_MAX = 10_000;

/** What a page may complain of: the browser says so of every page that is answered with 404, 422 and the like. */
const EXPECTED_COMPLAINT = /^Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * Chromium for a test file. What the browser's console has as an error, an exception that nobody caught, and what the page's policy
 * forbade fail the test in which they come.
 */
export function useChromium() {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  return {
    /** A page in a browser of its own: without cookies, until the test is over, which fails where the page complained. */
    async open(options: BrowserContextOptions = {}): Promise<Page> {
      if (browser === undefined) throw new Error('the browser runs only while the tests do');
      const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
      context.setDefaultTimeout(WAIT_MS_MAX);
      const complaints: string[] = [];
      context.on('console', (message) => {
        const isComplaint = message.type() === 'error' || /content security policy/i.test(message.text());
        if (isComplaint && !EXPECTED_COMPLAINT.test(message.text()))
          complaints.push(`${message.page()?.url()}: ${message.text()}`);
      });
      context.on('weberror', (error) => complaints.push(`${error.page()?.url()}: ${error.error().message}`));
      onTestFinished(async () => {
        await context.close();
        if (complaints.length > 0) throw new Error(`the browser complained:\n${complaints.join('\n')}`);
      });
      return context.newPage();
    },
  };
}

/** A page of another site than the service's, which is at 127.0.0.1, as a test file has it; `bodyOf` is asked for each request. */
export function useOtherSite(bodyOf: () => string): { readonly url: string } {
  let url = '';
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const head = '<meta name="color-scheme" content="light dark"><title>Another site</title>';
    response.end(`<!doctype html><html lang="en">${head}<body style="margin:8px">${bodyOf()}</body></html>`);
  });
  beforeAll(async () => {
    url = `http://localhost:${await listenOnFreePort(server)}`;
  });
  afterAll(() => void server.close());
  return {
    get url() {
      return url;
    },
  };
}
