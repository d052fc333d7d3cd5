/** An element with what is in it, in order. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

const TAG = /<(\/?)([A-Za-z]+)((?: [\w:-]+="[^"<]*")*)(\/?)>/y;
const TEXT = /[^<]+/y;
const ATTRIBUTE = / ([\w:-]+)="([^"]*)"/g;
/** The characters that XML 1.0 has. */
const PROPER = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Reads XML of one root without a prolog; throws where a strict reader would, at what no badge needs too: comments, CDATA, DTD. */
export function readXml(xml: string): XmlElement {
  const { node, end } = readNode(xml, 0);
  if (end !== xml.length || typeof node === 'string') throw new Error('XML has one root');
  return node;
}

/** The element or text that begins at a place, and where it ends. */
function readNode(xml: string, at: number): { readonly node: XmlElement | string; readonly end: number } {
  const [text] = matchAt(TEXT, xml, at) ?? [];
  if (text !== undefined) return { node: textFrom(text), end: at + text.length };
  const [tag = '', isEnd, name = '', attributes = '', isEmpty] = matchAt(TAG, xml, at) ?? [];
  if (tag === '' || isEnd === '/') throw new Error(`no XML: ${xml.slice(at, at + 60)}`);
  const children: (XmlElement | string)[] = [];
  const node = { name, attributes: attributesFrom(attributes), children };
  let end = at + tag.length;
  if (isEmpty === '/') return { node, end };
  const last = `</${name}>`;
  while (!xml.startsWith(last, end)) {
    const child = readNode(xml, end);
    children.push(child.node);
    end = child.end;
  }
  return { node, end: end + last.length };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** All elements, outermost first. */
export function elementsOf(root: XmlElement): readonly XmlElement[] {
  return [root, ...root.children.flatMap((child) => (typeof child === 'string' ? [] : elementsOf(child)))];
}

/** What the elements of a name have as text, one by one. */
export function textsOf(root: XmlElement, name: string): readonly string[] {
  return elementsOf(root)
    .filter((element) => element.name === name)
    .map(({ children }) => children.filter((child) => typeof child === 'string').join(''));
}

function attributesFrom(text: string): Record<string, string> {
  const pairs = [...text.matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [name, textFrom(value)] as const);
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new Error(`an attribute twice: ${text}`);
  return Object.fromEntries(pairs);
}

function textFrom(text: string): string {
  if (text.includes(']]>')) throw new Error(`no text of XML: ${text}`);
  if (!PROPER.test(text)) throw new Error(`characters that XML has not: ${JSON.stringify(text)}`);
  return text.replaceAll(/&(\w+;|#\d+;)?/g, (all, entity?: string) => {
    const name = entity?.slice(0, -1) ?? '';
    const known = name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : NAMED[name];
    if (known === undefined) throw new Error(`no entity: ${all}`);
    return known;
  });
}
