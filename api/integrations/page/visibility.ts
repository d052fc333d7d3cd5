import type { DefaultTreeAdapterTypes } from 'parse5';

export type Element = DefaultTreeAdapterTypes.Element;

/**
 * Considers element types, attributes and inline styles, not style sheets and scripts (specification "Checks of
 * pages").
 */
export interface Visibility {
  /** Hides it irrevocably, as text. */
  readonly hiddenBy: string | undefined;
  /** By `visibility`, which inner elements can override. */
  readonly isInvisible: boolean;
  /** By `font-size`, which inner elements can override; doesn't affect pictures. */
  readonly isTextTooSmall: boolean;
}

export const SHOWN: Visibility = { hiddenBy: undefined, isInvisible: false, isTextTooSmall: false };

/** Content that browsers with scripts don't render. */
const NEVER_SHOWN = new Set([
  ...[
    'head',
    'title',
    'script',
    'style',
    'template',
    'noscript',
    'noframes',
    'noembed',
    'datalist',
    'textarea',
    'select',
  ],
  ...['iframe', 'object', 'embed', 'canvas', 'video', 'audio', 'math', 'rp'],
]);

/** Visibility inside an element whose own is `outer`. */
export function visibilityOf(element: Element, outer: Visibility): Visibility {
  const style = parseInlineStyle(attributeOf(element, 'style') ?? '');
  const hiddenBy = outer.hiddenBy ?? findHidden(element, style);
  const visibility = style.get('visibility');
  const isInvisible = visibility === undefined ? outer.isInvisible : /^(?:hidden|collapse)$/.test(visibility);
  return { hiddenBy, isInvisible, isTextTooSmall: isTextTooSmall(style) ?? outer.isTextTooSmall };
}

/** Why a picture or frame itself is invisible. */
export function findSizeProblem(element: Element): string | undefined {
  const attribute = ['width', 'height'].find((name) =>
    /^\s*0*[01]?\s*(?:px)?\s*$/.test(attributeOf(element, name) || 'auto'),
  );
  if (attribute !== undefined) return `${attribute}="${attributeOf(element, attribute)}"`;
  const none = findNoSize(parseInlineStyle(attributeOf(element, 'style') ?? ''));
  return none && `style="${none}"`;
}

export function attributeOf({ attrs }: Element, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name && !attribute.namespace)?.value;
}

function findHidden(element: Element, style: InlineStyle): string | undefined {
  const { tagName } = element;
  if (NEVER_SHOWN.has(tagName)) return `it is in <${tagName}>`;
  if (attributeOf(element, 'hidden') !== undefined) return `<${tagName} hidden>`;
  if (attributeOf(element, 'popover') !== undefined) return `<${tagName} popover>`;
  if (attributeOf(element, 'aria-hidden')?.trim().toLowerCase() === 'true') return `<${tagName} aria-hidden="true">`;
  if (tagName === 'dialog' && attributeOf(element, 'open') === undefined) return 'it is in a closed <dialog>';
  const hiding = findHiding(style);
  return hiding === undefined ? undefined : `<${tagName} style="${hiding}">`;
}

/** The declarations of a `style` attribute, in lower case. */
export type InlineStyle = ReadonlyMap<string, string>;

/** The later declaration wins unless only the earlier is important. */
function parseInlineStyle(text: string): InlineStyle {
  const style = new Map<string, string>();
  const important = new Set<string>();
  for (const declaration of text.replace(/\/\*.*?(?:\*\/|$)/gs, ' ').split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const name = declaration.slice(0, colon).trim().toLowerCase();
    const given = declaration
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const value = given.replace(/\s*!\s*important$/, '');
    if (important.has(name) && value === given) continue;
    if (value !== given) important.add(name);
    style.set(name, value);
  }
  return style;
}

/** The first declaration that irrevocably hides an element. */
function findHiding(style: InlineStyle): string | undefined {
  const hides: Readonly<Record<string, (value: string) => boolean>> = {
    display: (value) => value === 'none',
    'content-visibility': (value) => value === 'hidden',
    opacity: (value) => (value.endsWith('%') ? Number.parseFloat(value) < 10 : Number.parseFloat(value) < 0.1),
    'clip-path': (value) => /^(?:circle|ellipse)\(\s*0/.test(value) || isInsetAway(value),
    clip: (value) => isPositioned(style) && isTinyRectangle(value),
    filter: (value) => /opacity\(\s*0*\.?0*%?\s*\)/.test(value),
    transform: isTransformedAway,
    translate: (value) => value.split(/\s+/).some(isOffScreen),
    scale: (value) => numbersOf(value).includes(0),
    'text-indent': isFarAway,
    margin: (value) => value.split(/\s+/).some(isFarAway),
    'margin-left': isFarAway,
    'margin-top': isFarAway,
    inset: (value) => isPositioned(style) && value.split(/\s+/).some(isOffScreen),
    left: (value) => isPositioned(style) && isOffScreen(value),
    right: (value) => isPositioned(style) && isOffScreen(value),
    top: (value) => isPositioned(style) && isOffScreen(value),
    bottom: (value) => isPositioned(style) && isOffScreen(value),
  };
  for (const [name, value] of style) {
    const isHiding = Object.hasOwn(hides, name) && hides[name]?.(value);
    if (isHiding || (isCut(style) && isNoSize(name, value))) return `${name}: ${value}`;
  }
  return undefined;
}

function findNoSize(style: InlineStyle): string | undefined {
  const declaration = [...style].find(([name, value]) => isNoSize(name, value));
  return declaration?.join(': ');
}

/** Undefined if the style doesn't set a size. */
export function isTextTooSmall(style: InlineStyle): boolean | undefined {
  if (/(?:^|\s)0(?:px|em|rem|pt|%)?(?:\s*\/|\s)/.test(style.get('font') ?? '')) return true;
  const size = style.get('font-size');
  const { value, unit } = parseLength(size ?? '') ?? {};
  if (size === undefined || value === undefined) return size === undefined ? undefined : false;
  switch (unit) {
    case 'px':
    case 'pt':
      return value < 1;
    case '%':
      return value < 10;
    default:
      return value < 0.1;
  }
}

function isNoSize(name: string, value: string): boolean {
  return /^(?:max-)?(?:width|height)$/.test(name) && (parseLength(value)?.value ?? 1) <= 0;
}

/** Overflow is hidden. */
function isCut(style: InlineStyle): boolean {
  return ['overflow', 'overflow-x', 'overflow-y'].some((name) => /^(?:hidden|clip)/.test(style.get(name) ?? ''));
}

function isPositioned(style: InlineStyle): boolean {
  return /^(?:absolute|fixed)$/.test(style.get('position') ?? '');
}

/** On any screen size. */
function isOffScreen(text: string): boolean {
  const { value = 0, unit = '' } = parseLength(text) ?? {};
  if (['%', 'vw', 'vh'].includes(unit)) return value <= -100 || value >= 200;
  const pixels = pixelsOf(value, unit);
  return pixels <= -300 || pixels >= 5_000;
}

/** Far enough to hide text; pictures may be shifted a little. */
function isFarAway(text: string): boolean {
  const { value = 0, unit = '' } = parseLength(text) ?? {};
  return ['%', 'vw', 'vh'].includes(unit) ? value <= -100 : pixelsOf(value, unit) <= -900;
}

/** Assumes 16 pixels per em. */
function pixelsOf(value: number, unit: string): number {
  return ['em', 'rem', 'ch', 'ex'].includes(unit) ? value * 16 : value;
}

function isTransformedAway(text: string): boolean {
  const scale = /scale(?:3d|x|y)?\(([^)]*)\)/.exec(text)?.[1];
  if (scale !== undefined && numbersOf(scale).includes(0)) return true;
  const shift = /translate(?:3d|x|y)?\(([^)]*)\)/.exec(text)?.[1];
  return shift?.split(',').some((part) => isOffScreen(part.trim()) && !part.includes('%')) ?? false;
}

function isTinyRectangle(text: string): boolean {
  const sides = /^rect\(([^)]*)\)$/.exec(text)?.[1];
  return sides !== undefined && !sides.includes('auto') && numbersOf(sides).every((side) => side <= 1);
}

function isInsetAway(text: string): boolean {
  const sides = /^inset\(([^)]*)\)/.exec(text)?.[1];
  return sides?.includes('%') === true && numbersOf(sides).some((side) => side >= 50);
}

function numbersOf(text: string): readonly number[] {
  return (text.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
}

function parseLength(text: string): { readonly value: number; readonly unit: string } | undefined {
  const [, number, unit] = /^([-+]?(?:\d+\.?\d*|\.\d+))(%|[a-z]*)$/.exec(text) ?? [];
  return number === undefined || unit === undefined ? undefined : { value: Number(number), unit };
}
