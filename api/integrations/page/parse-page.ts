import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  parse,
  type TreeAdapter,
} from 'parse5';

/** Elements inside each other; browsers keep to 512, too. The work for an element grows with it. */
const DEPTH_MAX = 512;

class TooDeep extends Error {}

/** The page as browsers read it, up to the place where it is nested too deep. */
export function parsePage(html: string): DefaultTreeAdapterTypes.Document {
  const document = defaultTreeAdapter.createDocument();
  let depth = 0;
  const adapter: TreeAdapter<DefaultTreeAdapterMap> = {
    ...defaultTreeAdapter,
    createDocument: () => document,
    onItemPush: () => {
      depth += 1;
      if (depth > DEPTH_MAX) throw new TooDeep();
    },
    onItemPop: () => {
      depth -= 1;
    },
  };
  try {
    return parse(html, { treeAdapter: adapter, scriptingEnabled: true });
  } catch (error) {
    if (error instanceof TooDeep) return document;
    throw error;
  }
}

/** What a page's charset is looked for in. */
const HEAD_BYTES = 1024;

/** The text of a page: by its byte order mark, by what the answer says, by what the page says, else as UTF-8. Never throws. */
export function decodePage(body: Uint8Array, contentType: string): string {
  const head = Buffer.from(body.subarray(0, HEAD_BYTES)).toString('latin1');
  const marked = markOf(body);
  const told = charsetIn(contentType);
  // A page that could be read so far is in a charset like ASCII, whatever it says of itself.
  const said = charsetIn(/<meta[^>]+charset\s*=[^>]+>/i.exec(head)?.[0] ?? '')?.replace(/^utf-16.*$/i, 'utf-8');
  for (const label of [marked, told, said]) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(body);
    } catch {
      // No charset that anybody knows.
    }
  }
  return new TextDecoder().decode(body);
}

function markOf(body: Uint8Array): string | undefined {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?\s*([^\s"';>]+)/i.exec(text)?.[1];
}
