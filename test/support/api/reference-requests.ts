import { Documented } from './documented.ts';

/**
 * A request for each data route of `/docs/reference/openapi.json`, with what the reference fills in: so tests ask a new route without
 * naming it.
 */
export function referenceRequests(document: Readonly<Record<string, unknown>>) {
  return new Documented(document, { isClosed: false }).operations
    .filter(({ path }) => path.startsWith('/v1/') && path !== '/v1/account')
    .map(({ path, parameters }) => {
      const filled = parameters.map(({ name, in: place, examples }) => ({ name, place, ...examples?.default }));
      const sent = filled.filter((parameter) => parameter['x-disabled'] === false);
      const query = sent.filter(({ place }) => place === 'query').map(({ name, value }) => [name, String(value)]);
      const ids = new Map(sent.map(({ name, value }) => [name, encodeURIComponent(String(value))]));
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? '');
      /** The route as the document names it, and what the reference sends before anything is ticked. */
      return { route: path, url: query.length === 0 ? url : `${url}?${new URLSearchParams(query)}` };
    });
}
