import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { contrastOf } from '../../test/support/console/contrast.ts';
import { useShell } from '../../test/support/http/use-shell.ts';
import { addIcon } from './icon.ts';

const shell = useShell(async () => {});

test.each(['/base/favicon.ico', '/favicon.ico'])(
  '%s is the icon, for who asks below the base path and for who asks the host',
  async (url) => {
    const { statusCode, headers, body } = await shell.app.inject(url);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'image/svg+xml',
      'public, max-age=86400',
    ]);
    expect(body).toMatch(/^<svg .*<\/svg>\n$/);
    const again = await shell.app.inject({ url, headers: { 'if-none-match': String(headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  },
);

test('without a base path it is there once', async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  addIcon([app]);
  expect((await app.inject('/favicon.ico')).statusCode).toBe(200);
});

test('a plain page of an error names it below the base path, and may load it', async () => {
  for (const path of ['/base/docs/errors', '/base/docs/errors/not_found']) {
    const { headers, body } = await shell.app.inject(path);
    expect(body).toContain('<link rel="icon" type="image/svg+xml" href="/base/favicon.ico">');
    expect(headers['content-security-policy']).toMatch(/img-src 'self'/);
  }
});

test('its bars are seen on their own ground, whatever stands around it, and nothing of it runs', () => {
  const svg = readFileSync(join(import.meta.dirname, 'icon.svg'), 'utf8');
  expect(svg.match(/fill="[^"]*"/g)).toEqual(['fill="#2450c4"', 'fill="#fff"']);
  expect(contrastOf('#2450c4', '#ffffff')).toBeGreaterThanOrEqual(4.5);
  expect(svg).not.toMatch(/<script|<style|href|on\w+=|style=/);
});
