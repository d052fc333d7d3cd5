import { type DefaultTreeAdapterTypes, parse } from 'parse5';

/** An element of a page as a browser reads it. */
export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** All text in it, with white space as one. */
  readonly text: string;
}

type Node = DefaultTreeAdapterTypes.Node;

/** Every element of a page, in its order. */
export function elementsIn(html: string): readonly PageElement[] {
  const found: PageElement[] = [];
  const visit = (node: Node) => {
    if ('tagName' in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      found.push({ name: node.tagName, attributes, text: textOf(node).replaceAll(/\s+/g, ' ').trim() });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parse(html));
  return found;
}

function textOf(node: Node): string {
  return 'value' in node ? node.value : childrenOf(node).map(textOf).join('');
}

function childrenOf(node: Node): readonly Node[] {
  return 'childNodes' in node ? node.childNodes : [];
}
