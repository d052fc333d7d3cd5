import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from './errors/api-error.ts';

/**
 * Makes every route that is added from now on answer 405 to all methods but its own (specification "Order of checks"), before
 * anything is made of a body.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const methods = METHODS.filter((method) => method !== 'CONNECT'); // That one never reaches a route.
  for (const method of methods) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.addHook('onRoute', function refuseOthers({ method, routePath, config }) {
    const offered = [method].flat();
    if (!offered.includes('GET')) return;
    const message = 'This route answers GET only';
    this.route({
      method: methods.filter((other) => !offered.includes(other)),
      url: routePath,
      ...(config === undefined ? {} : { config }),
      onRequest: async () => {
        throw new ApiError('method_not_allowed', message, { headers: { Allow: offered.sort().join(', ') } });
      },
      handler: () => undefined,
    });
  });
}
