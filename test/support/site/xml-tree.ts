import { SaxesParser } from 'saxes';

/** An element of an XML document; its text is that of CDATA sections too. */
export interface XmlElement {
  readonly name: string;
  readonly namespace: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/**
 * Reads a document strictly, by a parser that has nothing to do with what writes it; throws for what is not well-formed, and for what
 * nothing of ours needs: document types, instructions and comments.
 */
export function parseXml(document: string): XmlElement {
  const root: XmlElement = { name: '', namespace: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const top = () => open.at(-1) ?? root;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  for (const what of ['doctype', 'processinginstruction', 'comment'] as const) {
    parser.on(what, () => {
      throw new Error(`the document has a ${what}`);
    });
  }
  parser.on('opentag', ({ local, uri, attributes }) => {
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value]);
    const element = { name: local, namespace: uri, attributes: Object.fromEntries(values), children: [], text: '' };
    top().children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  for (const what of ['text', 'cdata'] as const) {
    parser.on(what, (text) => {
      top().text += text;
    });
  }
  parser.write(document).close();
  const [first] = root.children;
  if (first === undefined) throw new Error('the document has no element');
  return first;
}

export function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
}

/** The text of the only child with a name; throws where there are several, or none. */
export function textOf(element: XmlElement, name: string): string {
  const [only, ...others] = childrenOf(element, name);
  if (only === undefined || others.length > 0) throw new Error(`${element.name} has not one ${name}`);
  return only.text;
}

export function elementsOf(root: XmlElement): readonly XmlElement[] {
  return [root, ...root.children.flatMap(elementsOf)];
}

/** What the elements of a name have as text, one by one. */
export function textsOf(root: XmlElement, name: string): readonly string[] {
  return elementsOf(root).flatMap((element) => (element.name === name ? [element.text] : []));
}
