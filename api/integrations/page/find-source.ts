import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Found } from '../integration.ts';
import { FOR, type OwnAddresses } from './own-addresses.ts';
import { attributeOf, type Element, findSizeProblem, SHOWN, type Visibility, visibilityOf } from './visibility.ts';

type Node = DefaultTreeAdapterTypes.Node;
type ParentNode = DefaultTreeAdapterTypes.ParentNode;

/** The first evidence that counts, or why the first that doesn't fails. */
export interface SourceEvidence {
  readonly found: Found | undefined;
  readonly almost: string | undefined;
}

interface Judgement extends SourceEvidence {
  /** The organization it names. */
  readonly organization?: string | undefined;
}

/** Stored characters of a link's text. */
const TEXT_MAX = 100;
/** Invisible characters that count as letters or symbols. */
const BLANK = /[\u115F\u1160\u2800\u3164\uFFA0]/gu;
const DRAWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A link during the walk. */
interface Link {
  readonly url: URL | undefined;
  text: string;
  hasPicture: boolean;
  badge: URL | undefined;
  /** Why something in it is invisible. */
  hiddenBy: string | undefined;
}

/** Enter a node, or leave a link. */
type Step =
  | { readonly node: Node; readonly visibility: Visibility; readonly link: Link | undefined }
  | { readonly leave: Link };

/** The page and the organization that declared it. */
export interface PageOf {
  readonly url: string;
  readonly organizationId: string;
}

/**
 * Searches in document order for a visible link to the service, its badge inside a link, or a frame with one of its
 * pages (specification "Checks of pages"). Evidence that names an organization counts only for it, and then nothing
 * else on the page counts for others. Not recursive: pages may be nested deeply.
 */
export function findSource(document: ParentNode, { url, organizationId }: PageOf, own: OwnAddresses): SourceEvidence {
  const baseUrl = findBase(document, url);
  let [first, almost, namesOther]: [Found | undefined, string | undefined, boolean] = [undefined, undefined, false];
  const steps: Step[] = [{ node: document, visibility: SHOWN, link: undefined }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const judged = 'leave' in step ? judgeLink(step.leave, own) : enter(step, { steps, baseUrl, own });
    if (judged === undefined) continue;
    const { found, organization } = judged;
    if (found !== undefined && organization === organizationId) return { found, almost: undefined };
    if (found !== undefined && organization !== undefined) namesOther = true;
    first ??= found;
    almost ??= judged.almost;
  }
  if (namesOther)
    return { found: undefined, almost: `the link on the page names another organization in its parameter ${FOR}` };
  return { found: first, almost: first === undefined ? almost : undefined };
}

/** The base of relative URLs. */
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

interface Walk {
  /** A stack: the next step is last. */
  readonly steps: Step[];
  readonly baseUrl: string;
  readonly own: OwnAddresses;
}

/** Frames are judged at once. */
function enter(
  { node, visibility, link: outer }: Exclude<Step, { readonly leave: Link }>,
  { steps, baseUrl, own }: Walk,
): Judgement | undefined {
  if ('value' in node) {
    if (outer !== undefined) addText(outer, node.value, hiddenText(visibility));
    return undefined;
  }
  if (!('childNodes' in node)) return undefined;
  if (!isElement(node)) {
    pushChildren(node, { visibility, link: outer, steps });
    return undefined;
  }
  const inner = visibilityOf(node, visibility);
  if (node.tagName === 'iframe') return judgeFrame(node, inner, { baseUrl, own, visibility });
  if (isPicture(node)) {
    if (outer !== undefined)
      addPicture(outer, node, { hiddenBy: hidden(inner) ?? findSizeProblem(node), baseUrl, own });
    return undefined;
  }
  const link = node.tagName === 'a' ? linkOf(node, baseUrl) : outer;
  if (link !== undefined && link !== outer) steps.push({ leave: link });
  pushChildren(node, { visibility: inner, link, steps });
  return undefined;
}

/** A closed `<details>` hides everything but its summary. */
function pushChildren(
  node: ParentNode,
  {
    visibility,
    link,
    steps,
  }: { readonly visibility: Visibility; readonly link: Link | undefined; readonly steps: Step[] },
): void {
  const { childNodes } = node;
  const isClosed = isElement(node) && node.tagName === 'details' && attributeOf(node, 'open') === undefined;
  const summary = isClosed ? childNodes.find((child) => isElement(child) && child.tagName === 'summary') : undefined;
  const folded = isClosed
    ? { ...visibility, hiddenBy: visibility.hiddenBy ?? 'it is in a closed <details>' }
    : visibility;
  for (let at = childNodes.length - 1; at >= 0; at -= 1) {
    const child = childNodes[at];
    if (child !== undefined) steps.push({ node: child, visibility: child === summary ? visibility : folded, link });
  }
}

function linkOf(element: Element, baseUrl: string): Link {
  const href = attributeOf(element, 'href');
  const url = href === undefined ? null : URL.parse(href, baseUrl);
  return { url: url ?? undefined, text: '', hasPicture: false, badge: undefined, hiddenBy: undefined };
}

function addText(link: Link, text: string, hiddenBy: string | undefined): void {
  if (!DRAWN.test(text.replace(BLANK, ''))) return;
  if (hiddenBy !== undefined) link.hiddenBy ??= hiddenBy;
  else if (link.text.length < TEXT_MAX) link.text += text.slice(0, 10 * TEXT_MAX);
}

function addPicture(
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

function judgeLink({ url, text, hasPicture, badge, hiddenBy }: Link, own: OwnAddresses): Judgement | undefined {
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  if (badge === undefined && !own.has(url)) return undefined;
  const found = { href: url.href, text: shortened(text) };
  const organization = own.organizationOf(url) ?? (badge && own.organizationOf(badge));
  if (badge !== undefined) return { found: { ...found, kind: 'badge' }, almost: undefined, organization };
  if (text !== '' || hasPicture) return { found: { ...found, kind: 'link' }, almost: undefined, organization };
  const why = hiddenBy === undefined ? 'contains neither text nor a picture' : `is hidden: ${hiddenBy}`;
  return { found: undefined, almost: `the link to ${url.href} ${why}` };
}

/** A frame is as visible as a block in its place; its content is only a fallback. */
function judgeFrame(
  element: Element,
  inner: Visibility,
  { baseUrl, own, visibility }: Pick<Walk, 'baseUrl' | 'own'> & { readonly visibility: Visibility },
): Judgement | undefined {
  const url = URL.parse(attributeOf(element, 'src') ?? '', baseUrl);
  if (url === null || !own.isEmbed(url)) return undefined;
  const asBlock = { ...element, tagName: 'div' };
  const hiddenBy =
    hidden({ ...inner, hiddenBy: visibilityOf(asBlock, visibility).hiddenBy }) ?? findSizeProblem(element);
  if (hiddenBy !== undefined) return { found: undefined, almost: `the frame with ${url.href} is hidden: ${hiddenBy}` };
  const text = shortened(attributeOf(element, 'title') ?? '');
  return { found: { kind: 'embed', href: url.href, text }, almost: undefined, organization: own.organizationOf(url) };
}

function hidden({ hiddenBy, isInvisible }: Visibility): string | undefined {
  return hiddenBy ?? (isInvisible ? 'visibility' : undefined);
}

function hiddenText(visibility: Visibility): string | undefined {
  return hidden(visibility) ?? (visibility.isTextTooSmall ? 'font-size' : undefined);
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
