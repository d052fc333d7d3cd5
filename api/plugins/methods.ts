import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../api-error.ts';

/** Makes every route that is added from now on answer 405 to all methods but GET (DECISIONS "405"). */
export function refuseOtherMethods(app: FastifyInstance): void {
  const others = METHODS.filter((method) => method !== 'GET' && method !== 'CONNECT');
  for (const method of others) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.addHook('onRoute', ({ method, url, path, config }) => {
    if (method !== 'GET' || path.endsWith('*')) return;
    app.route({
      method: others,
      url,
      schema: { hide: true },
      ...(config === undefined ? {} : { config }),
      handler: () => {
        throw new ApiError('method_not_allowed', 'This route answers GET only', { headers: { Allow: 'GET' } });
      },
    });
  });
}
