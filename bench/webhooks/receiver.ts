/**
 * A receiver of webhooks in a process of its own: `tsx bench/webhooks/receiver.ts KEY_FILE CERTIFICATE_FILE` listens with TLS,
 * says where, and answers every request with 204 once it has read the body.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';

const [keyFile = '', certificateFile = ''] = process.argv.slice(2);
const options = { key: await readFile(keyFile), cert: await readFile(certificateFile), keepAliveTimeout: 60_000 };
const server = createServer(options, (request, response) => {
  request.resume();
  request.on('end', () => {
    response.statusCode = 204;
    response.end();
  });
});
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver does not listen');
  console.log(JSON.stringify({ url: `https://127.0.0.1:${address.port}` }));
});
