import { isolated, plainText } from '../text/plain-text.ts';
import { cutText } from './badge-text.ts';
import { type BadgeStyle, drawBadge } from './draw-badge.ts';

/** What a badge says: a label, and behind it a message on a colour. Any text, which is made plain and short where it is shown. */
export interface Badge {
  readonly label: string;
  readonly message: string;
  /** A name of shields.io, or 3 or 6 hexadecimal digits. */
  readonly color: string;
  /** Default: `flat`. */
  readonly style?: BadgeStyle;
  /** Whether it tells that there is nothing to tell. */
  readonly isError?: boolean;
}

export const SVG_TYPE = 'image/svg+xml; charset=utf-8';

/** A badge that is opened as a page runs nothing and loads nothing. */
export const SVG_HEADERS = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" } as const;

/** Longest label and message, in columns, of which a wide letter takes two. */
const LABEL_COLUMNS_MAX = 40;
const MESSAGE_COLUMNS_MAX = 60;

/** The picture of a badge; its title says all of what it shows the beginning of. */
export function svgOf({ color, style = 'flat', ...texts }: Badge): string {
  const [label, message] = [plainText(texts.label), plainText(texts.message)];
  return drawBadge({
    ...shownOf(texts),
    color,
    style,
    whole: label === '' ? message : `${isolated(label)}: ${message}`,
  });
}

/** A badge as shields.io's endpoint badge reads it (https://shields.io/badges/endpoint-badge). */
export function shieldsJsonOf({ color, style = 'flat', isError = false, ...texts }: Badge): string {
  return JSON.stringify({
    schemaVersion: 1,
    ...shownOf(texts),
    color,
    ...(style === 'flat' ? {} : { style }),
    ...(isError ? { isError } : {}),
    cacheSeconds: 3600,
  });
}

function shownOf({ label, message }: Pick<Badge, 'label' | 'message'>): Pick<Badge, 'label' | 'message'> {
  return {
    label: cutText(plainText(label), LABEL_COLUMNS_MAX),
    message: cutText(plainText(message), MESSAGE_COLUMNS_MAX),
  };
}
