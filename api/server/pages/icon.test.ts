import { expect, test } from 'vitest';
import { useShell } from '../../../test/support/server/start-server.ts';

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

test('a plain page of an error names it below the base path, and may load it', async () => {
  for (const path of ['/base/docs/errors', '/base/docs/errors/not_found']) {
    const { headers, body } = await shell.app.inject(path);
    expect(body).toContain('<link rel="icon" type="image/svg+xml" href="/base/favicon.ico">');
    expect(headers['content-security-policy']).toMatch(/img-src 'self'/);
  }
});
