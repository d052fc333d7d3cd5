import { METHODS } from 'node:http';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { httpError } from './errors/http-error.ts';

/** A path and the methods that its routes answer. */
interface Path {
  readonly url: string;
  readonly methods: Set<string>;
  /** What its first route was configured with; refusals are, too, so that they ask for the same credentials. */
  readonly config: RouteOptions['config'];
}

/** Every method but CONNECT, which never reaches a route. */
const REFUSABLE = METHODS.filter((method) => method !== 'CONNECT');

/**
 * Answers HEAD like GET, without the body, on every route that is added from now on, and remembers the methods of each path.
 * What it returns is called when all routes are there: it makes each path refuse all other methods (specification "Order of
 * checks"), before anything is made of a body.
 */
export function collectMethods(app: FastifyInstance): (closing: FastifyInstance) => void {
  const paths = new Map<string, Path>();
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
    // Fastify's own routes for HEAD know the body before it is compressed, so their headers differ from those of GET.
    route.method = methods;
    const pattern = route.url.replaceAll(/:\w+/g, ':');
    const path = paths.get(pattern) ?? { url: route.url, methods: new Set(), config: route.config };
    for (const method of methods) path.methods.add(method);
    paths.set(pattern, path);
  });
  return (closing) => {
    for (const method of REFUSABLE) {
      if (!closing.supportedMethods.includes(method)) closing.addHttpMethod(method);
    }
    for (const path of [...paths.values()]) refuseOthers(closing, path);
  };
}

function refuseOthers(app: FastifyInstance, { url, methods, config }: Path): void {
  const allow = [...methods].sort().join(', ');
  const method = REFUSABLE.filter((other) => !methods.has(other));
  const message = `This route answers ${allow} only`;
  app.route({
    method,
    url,
    config: { ...config, allow },
    onRequest: async () => {
      throw httpError('method_not_allowed', message, { headers: { Allow: allow } });
    },
    handler: () => undefined,
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The methods of the path, where it is asked with another one. */
    allow?: string;
  }
}
