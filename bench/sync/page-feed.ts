/** Run as a process of its own: `tsx bench/sync/page-feed.ts CURSOR` pages the feed to its end, parses it, and does nothing with it. */
import { z } from 'zod';

const [first = ''] = process.argv.slice(2);
const Environment = z.object({ MODELSTATS_API_URL: z.string(), MODELSTATS_API_KEY: z.string() });
const { MODELSTATS_API_URL: url, MODELSTATS_API_KEY: key } = Environment.parse(process.env);

let events = 0;
for (let cursor: string | undefined = first; cursor !== undefined; ) {
  const response: Response = await fetch(`${url}/v1/changes?cursor=${cursor}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  // As GET /v1/changes answers.
  const page = (await response.json()) as { readonly events: unknown[]; next_cursor: string; has_more: boolean };
  events += page.events.length;
  cursor = page.has_more ? page.next_cursor : undefined;
}
console.log(JSON.stringify({ events }));
