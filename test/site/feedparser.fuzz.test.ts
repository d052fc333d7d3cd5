/** Atom feeds read by feedparser, with which many readers read them. `make test-fuzz` installs it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { itemsOf, usePublic } from '../support/site/use-public.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { publishToldDays } from '../worlds/told-days.ts';

const PYTHON = join(import.meta.dirname, '../../.tools/fuzz/bin/python');
const ODD_ID = encodeURIComponent('odd/<b>:1@v2.atom');
const PATHS = ['changes', 'models', 'models/a', 'models/rtl', `models/${ODD_ID}`, 'rankings/general', 'rankings/code'];

/** Prints what feedparser makes of a file, as JSON. */
const PROGRAM = `
import feedparser, json, sys
read = feedparser.parse(open(sys.argv[1], 'rb').read(), sanitize_html=False, resolve_relative_uris=False)
print(json.dumps({
  'bozo': int(read.bozo), 'why': str(read.get('bozo_exception', '')), 'version': read.version, 'title': read.feed.title,
  'updated': list(read.feed.updated_parsed), 'links': [[link.rel, link.href] for link in read.feed.links],
  'entries': [{'id': e.id, 'title': e.title, 'text': e.content[0].value, 'type': e.content[0].type, 'url': e.link,
    'published': list(e.published_parsed)} for e in read.entries]}))
`;

const api = usePublic({ days: publishToldDays });
const folder = useFolder();
beforeAll(() => {
  if (!existsSync(PYTHON)) throw new Error(`${PYTHON} is not there: run "make test-fuzz"`);
});

test.each(PATHS)(
  'feedparser finds nothing wrong with the feed %s, and reads what the other form says',
  async (path) => {
    const file = folder('feed.atom');
    await writeFile(file, (await api.get(`/feeds/${path}.atom`)).body);
    const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', PROGRAM, file], { encoding: 'utf8', timeout: 60_000 });
    expect([status, stderr]).toEqual([0, '']);
    const read = JSON.parse(stdout);
    expect([read.bozo, read.why, read.version]).toEqual([0, '', 'atom10']);
    const items = await itemsOf(api, `/feeds/${path}`);
    expect(items.length).toBeGreaterThan(0);
    expect(read.entries).toEqual(
      items.map(({ id, title, content_text, url, date_published }) => ({
        id,
        title,
        text: content_text,
        type: 'text/plain',
        url,
        published: expect.arrayContaining([Number(date_published.slice(0, 4)), 23, 59]),
      })),
    );
    expect(read.links[0]).toEqual(['self', `http://localhost:80/feeds/${path}.atom`]);
  },
);
