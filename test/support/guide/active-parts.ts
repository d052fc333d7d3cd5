import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

const RUNNING = ['script', 'style', 'iframe', 'object', 'embed', 'base', 'img', 'svg', 'math', 'template'];

/** What of a page could run, or look otherwise than its style sheet says, as a browser's parser reads it; a line each. */
export function activeParts(html: string): readonly string[] {
  return nodesOf(parse(html)).flatMap((node) => {
    if (!('attrs' in node)) return [];
    const attributes = node.attrs
      .filter(({ name, value }) => /^(on|style$|srcdoc$)/.test(name) || /^\s*(javascript|data):/i.test(value))
      .map(({ name, value }) => `${node.nodeName} ${name}=${value}`);
    return RUNNING.includes(node.nodeName) ? [node.nodeName, ...attributes] : attributes;
  });
}

/** All text of a page, as a reader sees it. */
export function textOf(html: string): string {
  return nodesOf(parse(html))
    .map((node) => ('value' in node ? node.value : ''))
    .join('');
}

function nodesOf(node: Node): readonly Node[] {
  return [node, ...('childNodes' in node ? node.childNodes.flatMap(nodesOf) : [])];
}
