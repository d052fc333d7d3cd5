import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { text } from '../../storage/duckdb/row-shape.ts';
import { listenOnPort } from '../../test/support/api/listen.ts';
import { openApi } from '../../test/support/api/open-api.ts';
import { requestText } from '../../test/support/api/raw-request.ts';
import { publishFixtureDays, SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

test('a client that does not read its answer keeps no old view open', async () => {
  const [first = '', second = ''] = SAMPLE_DAYS;
  const api = await openApi({ days: [first] });
  onTestFinished(() => api.close());
  const port = await listenOnPort(api.app);
  // Nothing leaves the connection, as if the client took nothing.
  api.app.server.prependOnceListener('connection', (taken) => {
    Object.assign(taken, { _write: () => undefined, _writev: () => undefined });
  });
  const asked = once(api.app.server, 'request');
  const socket = connect(port, '127.0.0.1', () => socket.write(requestText('/v1/models', {})));
  onTestFinished(() => void socket.destroy());
  const [, response] = (await asked) as [unknown, ServerResponse]; // As the event has them.
  await expect.poll(() => response.writableEnded).toBe(true);
  const old = api.follower.current();
  await publishFixtureDays(api.store, [second]);
  await api.follower.refresh();
  expect(api.follower.release?.day).toBe(second);
  expect(response.writableFinished).toBe(false);
  await expect(old.rows({ meta: text }, 'SELECT meta FROM meta')).rejects.toThrow('this view is closed');
});
