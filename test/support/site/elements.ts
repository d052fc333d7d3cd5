import { type DefaultTreeAdapterTypes, parse } from 'parse5';

/** An element of a page as a browser reads it. */
export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** All text in it, with white space as one. */
  readonly text: string;
}

type Node = DefaultTreeAdapterTypes.Node;

export function elementsIn(html: string): readonly PageElement[] {
  const found: PageElement[] = [];
  const admission = (node: Node) => {
    if ('tagName' in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      found.push({
        name: node.tagName,
        attributes,
        get text() {
          return textIn(node).replaceAll(/\s+/g, ' ').trim();
        },
      });
    }
    for (const child of childrenOf(node)) admission(child);
  };
  admission(parse(html));
  return found;
}

export function textOf(html: string): string {
  return textIn(parse(html));
}

function textIn(node: Node): string {
  return 'value' in node ? node.value : childrenOf(node).map(textIn).join('');
}

function childrenOf(node: Node): readonly Node[] {
  return 'childNodes' in node ? node.childNodes : [];
}

const RUNNING = ['script', 'style', 'iframe', 'object', 'embed', 'base', 'img', 'svg', 'math', 'template'];

/** What of a page could run, or look otherwise than its style sheet says; a line each. */
export function activeParts(html: string): readonly string[] {
  return elementsIn(html).flatMap(({ name, attributes }) => [
    ...(RUNNING.includes(name) ? [name] : []),
    ...Object.entries(attributes).flatMap(([of, value]) =>
      /^(on|style$|srcdoc$)/.test(of) || /^\s*(javascript|data):/i.test(value) ? [`${name} ${of}=${value}`] : [],
    ),
  ]);
}
