import { type RequestOptions, request } from 'node:http';
import { bearer } from './test-accounts.ts';

/** An answer as a client of a real connection sees it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What Fastify's app and a plain server have in common here. */
interface Listening {
  listen(options: { readonly host: string; readonly port: number }): PromiseLike<string>;
}

/** Lets an app listen on a free port of 127.0.0.1 until it is closed; its address. */
export async function listen(app: Listening): Promise<string> {
  return await app.listen({ host: '127.0.0.1', port: 0 });
}

/** The same; its port. */
export async function listenOnPort(app: Listening): Promise<number> {
  return Number(new URL(await listen(app)).port);
}

/** Asks once over a connection of its own, or of an agent's; rejects where none is answered. */
export function fetchOnce(
  url: string,
  key: string,
  { headers = {}, agent, method = 'GET' }: Pick<RequestOptions, 'headers' | 'agent' | 'method'> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method, headers: { ...bearer(key), ...headers }, agent: agent ?? false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, headers: told } = response;
          resolve({ status, headers: told, body: Buffer.concat(chunks).toString() });
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}
