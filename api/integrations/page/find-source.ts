import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Found } from '../integration.ts';
import { FOR, type OwnAddresses } from './own-addresses.ts';
import { attributeOf, type Element, findSizeProblem, SHOWN, type Visibility, visibilityOf } from './visibility.ts';

type Node = DefaultTreeAdapterTypes.Node;
type ParentNode = DefaultTreeAdapterTypes.ParentNode;

/** What a page shows of its source: the first thing that counts, else why the first thing that almost did doesn't. */
export interface SourceShown {
  readonly found: Found | undefined;
  readonly almost: string | undefined;
}

/** What one element of a page shows. */
interface Judged extends SourceShown {
  /** The organization that it names; undefined where it names none. */
  readonly organization?: string | undefined;
}

/** Characters of a link's text that are kept. */
const TEXT_MAX = 100;
/** Text that is there and draws nothing: blanks that count as letters or signs. */
const BLANK = /[\u115F\u1160\u2800\u3164\uFFA0]/gu;
const DRAWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A link on the way through the page. */
interface Link {
  readonly url: URL | undefined;
  text: string;
  hasPicture: boolean;
  badge: URL | undefined;
  /** Why something in it isn't seen. */
  hiddenBy: string | undefined;
}

/** A step of the walk: into a node, or out of an element that is a link. */
type Step =
  | { readonly node: Node; readonly seen: Visibility; readonly link: Link | undefined }
  | { readonly leave: Link };

/** Whose page it is said to be, and where it lies. */
export interface PageOf {
  readonly url: string;
  readonly organizationId: string;
}

/**
 * Looks through a page in the order of its elements for a visible link to the service, for its badge inside a link, or for a page of the
 * service in a frame (specification "Checks of pages"). What names organizations counts for these alone, and then nothing on the page
 * counts for others. Without recursion, however deep the page is.
 */
export function findSource(document: ParentNode, { url, organizationId }: PageOf, own: OwnAddresses): SourceShown {
  const baseUrl = findBase(document, url);
  let [first, almost, isOthers]: [Found | undefined, string | undefined, boolean] = [undefined, undefined, false];
  const steps: Step[] = [{ node: document, seen: SHOWN, link: undefined }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const judged = 'leave' in step ? judgeLink(step.leave, own) : enter(step, { steps, baseUrl, own });
    if (judged === undefined) continue;
    const { found, organization } = judged;
    if (found !== undefined && organization === organizationId) return { found, almost: undefined };
    if (found !== undefined && organization !== undefined) isOthers = true;
    first ??= found;
    almost ??= judged.almost;
  }
  if (isOthers)
    return { found: undefined, almost: `the link on the page is for another organization, as its ${FOR}= says` };
  return { found: first, almost: first === undefined ? almost : undefined };
}

/** What the addresses of the page are relative to. */
function findBase(document: ParentNode, pageUrl: string): string {
  const nodes: Node[] = [document];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isElement(node) && node.tagName === 'base') {
      const href = attributeOf(node, 'href');
      if (href !== undefined) return URL.parse(href, pageUrl)?.href ?? pageUrl;
    }
    if ('childNodes' in node)
      for (let at = node.childNodes.length - 1; at >= 0; at -= 1) push(nodes, node.childNodes[at]);
  }
  return pageUrl;
}

interface Way {
  /** What is still to be done, the next last. */
  readonly steps: Step[];
  readonly baseUrl: string;
  readonly own: OwnAddresses;
}

/** Takes what a node shows into its link, and puts the way through its content before all else; a frame is judged at once. */
function enter(
  { node, seen, link: outer }: Exclude<Step, { readonly leave: Link }>,
  { steps, baseUrl, own }: Way,
): Judged | undefined {
  if ('value' in node) {
    if (outer !== undefined) takeText(outer, node.value, hiddenText(seen));
    return undefined;
  }
  if (!('childNodes' in node)) return undefined;
  if (!isElement(node)) {
    pushChildren(node, { seen, link: outer, steps });
    return undefined;
  }
  const inner = visibilityOf(node, seen);
  if (node.tagName === 'iframe') return judgeFrame(node, inner, { baseUrl, own, seen });
  if (isPicture(node)) {
    if (outer !== undefined)
      takePicture(outer, node, { hiddenBy: hidden(inner) ?? findSizeProblem(node), baseUrl, own });
    return undefined;
  }
  const link = node.tagName === 'a' ? linkOf(node, baseUrl) : outer;
  if (link !== undefined && link !== outer) steps.push({ leave: link });
  pushChildren(node, { seen: inner, link, steps });
  return undefined;
}

/** What is in a closed `<details>` is hidden, but for the words that open it. */
function pushChildren(
  node: ParentNode,
  { seen, link, steps }: { readonly seen: Visibility; readonly link: Link | undefined; readonly steps: Step[] },
): void {
  const { childNodes } = node;
  const isClosed = isElement(node) && node.tagName === 'details' && attributeOf(node, 'open') === undefined;
  const summary = isClosed ? childNodes.find((child) => isElement(child) && child.tagName === 'summary') : undefined;
  const folded = isClosed ? { ...seen, hiddenBy: seen.hiddenBy ?? 'it is in a closed <details>' } : seen;
  for (let at = childNodes.length - 1; at >= 0; at -= 1) {
    const child = childNodes[at];
    if (child !== undefined) steps.push({ node: child, seen: child === summary ? seen : folded, link });
  }
}

function linkOf(element: Element, baseUrl: string): Link {
  const href = attributeOf(element, 'href');
  const url = href === undefined ? null : URL.parse(href, baseUrl);
  return { url: url ?? undefined, text: '', hasPicture: false, badge: undefined, hiddenBy: undefined };
}

function takeText(link: Link, text: string, hiddenBy: string | undefined): void {
  if (!DRAWN.test(text.replace(BLANK, ''))) return;
  if (hiddenBy !== undefined) link.hiddenBy ??= hiddenBy;
  else if (link.text.length < TEXT_MAX) link.text += text.slice(0, 10 * TEXT_MAX);
}

function takePicture(
  link: Link,
  element: Element,
  {
    hiddenBy,
    baseUrl,
    own,
  }: { readonly hiddenBy: string | undefined; readonly baseUrl: string; readonly own: OwnAddresses },
): void {
  const source = attributeOf(element, 'src')?.trim() ?? '';
  const isDrawn = element.tagName === 'svg' ? element.childNodes.some(isElement) : source !== '';
  if (!isDrawn) return;
  if (hiddenBy !== undefined) {
    link.hiddenBy ??= hiddenBy;
    return;
  }
  link.hasPicture = true;
  link.text ||= attributeOf(element, 'alt') ?? '';
  const url = URL.parse(source, baseUrl);
  if (element.tagName === 'img' && url !== null && own.isBadge(url)) link.badge ??= url;
}

function judgeLink({ url, text, hasPicture, badge, hiddenBy }: Link, own: OwnAddresses): Judged | undefined {
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  if (badge === undefined && !own.has(url)) return undefined;
  const found = { href: url.href, text: shortened(text) };
  const organization = own.organizationOf(url) ?? (badge && own.organizationOf(badge));
  if (badge !== undefined) return { found: { ...found, kind: 'badge' }, almost: undefined, organization };
  if (text !== '' || hasPicture) return { found: { ...found, kind: 'link' }, almost: undefined, organization };
  const why = hiddenBy === undefined ? 'there is neither text nor a picture in it' : `it is hidden: ${hiddenBy}`;
  return { found: undefined, almost: `there is a link to ${url.href}, but ${why}` };
}

/** A frame's visibility is its own and that of where it stands; what is written in it is for browsers without frames. */
function judgeFrame(
  element: Element,
  inner: Visibility,
  { baseUrl, own, seen }: Pick<Way, 'baseUrl' | 'own'> & { readonly seen: Visibility },
): Judged | undefined {
  const url = URL.parse(attributeOf(element, 'src') ?? '', baseUrl);
  if (url === null || !own.isEmbed(url)) return undefined;
  const own_ = { ...element, tagName: 'div' };
  const hiddenBy = hidden({ ...inner, hiddenBy: visibilityOf(own_, seen).hiddenBy }) ?? findSizeProblem(element);
  if (hiddenBy !== undefined)
    return { found: undefined, almost: `there is a frame with ${url.href}, but it is hidden: ${hiddenBy}` };
  const text = shortened(attributeOf(element, 'title') ?? '');
  return { found: { kind: 'embed', href: url.href, text }, almost: undefined, organization: own.organizationOf(url) };
}

function hidden({ hiddenBy, isInvisible }: Visibility): string | undefined {
  return hiddenBy ?? (isInvisible ? 'visibility' : undefined);
}

function hiddenText(seen: Visibility): string | undefined {
  return hidden(seen) ?? (seen.isTextTooSmall ? 'font-size' : undefined);
}

function isPicture({ tagName }: Element): boolean {
  return tagName === 'img' || tagName === 'svg';
}

function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

function push(nodes: Node[], node: Node | undefined): void {
  if (node !== undefined) nodes.push(node);
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= TEXT_MAX ? line : `${line.slice(0, TEXT_MAX - 1)}…`;
}
