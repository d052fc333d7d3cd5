/**
 * What Fastify costs without us: sends the very bytes and headers that the API sent, from memory, or 304 for their tag. A process of its own:
 * `tsx bench/api/bare-server.ts ORIGIN PATHS_FILE HEADERS` asks that origin for each path first, then listens and says where.
 */
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import fastify from 'fastify';

interface Recorded {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true });

function record(from: string, headers: Record<string, string>): Promise<Recorded> {
  return new Promise((resolve, reject) => {
    get(from, { agent, headers }, (response) => {
      // Node writes these by itself.
      const { date: _, connection: _2, 'keep-alive': _3, 'content-length': _4, ...kept } = response.headers;
      if (response.statusCode !== 200) reject(new Error(`${from} was answered with ${response.statusCode}`));
      buffer(response).then((body) => resolve({ headers: kept, body }), reject);
    }).on('error', reject);
  });
}

const [origin, pathsFile, headersJson = '{}'] = process.argv.slice(2);
if (origin === undefined || pathsFile === undefined) throw new Error('usage: bare-server.ts ORIGIN PATHS_FILE');
const paths = JSON.parse(await readFile(pathsFile, 'utf8')) as readonly string[]; // Written by servers.ts.
const answers = new Map<string, Recorded>();
for (const path of paths) answers.set(path, await record(origin + path, JSON.parse(headersJson)));
agent.destroy();

const app = fastify({ forceCloseConnections: true });
app.get('/*', (request, reply) => {
  const answer = answers.get(request.url);
  if (answer === undefined) return reply.code(404).send();
  if (answer.headers['etag'] !== undefined && request.headers['if-none-match'] === answer.headers['etag']) {
    const { 'content-type': _, ...unchanged } = answer.headers;
    return reply.code(304).headers(unchanged).send();
  }
  return reply.headers(answer.headers).send(answer.body);
});
process.once('SIGTERM', () => void app.close());
const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ url }));
