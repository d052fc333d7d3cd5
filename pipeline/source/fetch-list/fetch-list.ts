import type { z } from 'zod';
import type { Upstream } from '../../../schemas/upstreams.ts';
import type { FetchEntry } from './fetch-entry.ts';
import { findCollisions } from './fetch-paths.ts';

/** What `source.json` says of upstreams. */
interface FetchList {
  readonly upstreams: readonly Upstream[];
  readonly fetch: readonly FetchEntry[];
}

/** What no entry can know of itself: names that stand twice or nowhere, and files in each other's way. */
export function checkFetchList({ upstreams, fetch }: FetchList, context: z.RefinementCtx): void {
  const add = (path: readonly (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path: [...path], message });
  for (const [index, { id }] of upstreams.entries()) {
    if (upstreams.findIndex((other) => other.id === id) < index) add(['upstreams', index, 'id'], `${id} stands twice`);
  }
  for (const [index, entry] of fetch.entries()) {
    const isKnown = upstreams.some(({ id }) => id === entry.upstream);
    if (!isKnown) add(['fetch', index, 'upstream'], `${entry.upstream} is no id of upstreams`);
    if (entry.pages === undefined) continue;
    if (entry.unzip !== undefined) add(['fetch', index, 'unzip'], 'an answer in pages is no zip file');
    if (!/\.json$/i.test(entry.file)) add(['fetch', index, 'file'], 'pages are joined to a file that ends with .json');
  }
  for (const { index, message } of findCollisions(fetch)) add(['fetch', index, 'file'], message);
}
