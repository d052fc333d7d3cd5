import type { DefaultTreeAdapterTypes } from 'parse5';
import { findHiding, findNoSize, type InlineStyle, isTextTooSmall, parseInlineStyle } from './inline-style.ts';

export type Element = DefaultTreeAdapterTypes.Element;

/**
 * Whether what stands in an element can be seen, as far as the page's own text tells: elements that are never shown, attributes, inline
 * styles. Style sheets and scripts are not evaluated (specification "Checks of pages").
 */
export interface Visibility {
  /** What hides it for good, in words; undefined: nothing. */
  readonly hiddenBy: string | undefined;
  /** Of `visibility`, which an element inside may take back. */
  readonly isInvisible: boolean;
  /** Of `font-size`, which an element inside may take back; pictures are seen all the same. */
  readonly isTextTooSmall: boolean;
}

export const SHOWN: Visibility = { hiddenBy: undefined, isInvisible: false, isTextTooSmall: false };

/** What is in these is not part of the page as it is seen by a browser that knows them, and runs scripts. */
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

/** How an element's content is seen, in one whose own is seen like `outer`. */
export function visibilityOf(element: Element, outer: Visibility): Visibility {
  const style = parseInlineStyle(attributeOf(element, 'style') ?? '');
  const hiddenBy = outer.hiddenBy ?? findHidden(element, style);
  const visibility = style.get('visibility');
  const isInvisible = visibility === undefined ? outer.isInvisible : /^(?:hidden|collapse)$/.test(visibility);
  return { hiddenBy, isInvisible, isTextTooSmall: isTextTooSmall(style) ?? outer.isTextTooSmall };
}

/** Why a picture or frame itself is not seen, beside what holds for its content; undefined: it is. */
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
