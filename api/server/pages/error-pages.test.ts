import { expect, test } from 'vitest';
import { prefersHtml } from './error-pages.ts';

test.each([
  'text/html',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'application/json;q=0.5, Text/HTML; q=0.7',
  'text/html, application/json',
  'text/html;q=0.8, application/json;q=0.8',
  'text/html, application/*',
  'text/html, */*',
  'text/html;level=1;q=0.4, */*;q=0.1',
])('Accept: %s asks for a page', (accept) => {
  expect(prefersHtml(accept)).toBe(true);
});

test.each([
  undefined,
  '',
  '*/*',
  'text/*',
  'application/json',
  'application/json, text/html;q=0.9',
  'application/json, text/html',
  'application/json;q=0.8, text/html;q=0.8',
  'application/*, text/html',
  '*/*, text/html',
  'text/html;q=0',
  'text/html;q=0.1, */*',
  'text/html;q=0.5, application/*;q=0.6',
  'text/html;q=much',
  'text/htmlx',
])('Accept: %s does not', (accept) => {
  expect(prefersHtml(accept)).toBe(false);
});
