import type { Awaitable } from '../../runtime/awaitable.ts';
import { JSON_TYPE } from '../data/responses/data-responses.ts';
import { HttpError, type RequestInvalid } from '../server/errors/http-error.ts';
import { escapeHtml } from '../server/pages/html.tsx';
import { isolated, isRightToLeft, plainText } from './plain-text.ts';
import { type PublicRefusal, type PublicRoute, type PublicRouteDefinition, publicRoute } from './public-route.ts';

/** Text may be arbitrary: it is cleaned and cut when drawn. */
export interface Badge {
  readonly label: string;
  readonly message: string;
  /** A name of shields.io, or 3 or 6 hexadecimal digits. */
  readonly color: string;
  /** Default: `flat`. */
  readonly style?: BadgeStyle;
  /** Whether it shows an error. */
  readonly isError?: boolean;
}

export const SVG_TYPE = 'image/svg+xml; charset=utf-8';

/** Opened as a page, a badge runs and loads nothing. */
export const SVG_HEADERS = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" } as const;

/** Limits in columns; a wide letter takes two. */
const LABEL_COLUMNS_MAX = 40;
const MESSAGE_COLUMNS_MAX = 60;

/** As SVG; its title has the texts uncut. */
export function svgOf({ color, style = 'flat', ...texts }: Badge): Promise<string> {
  const [label, message] = [plainText(texts.label), plainText(texts.message)];
  return drawBadge({
    ...shownOf(texts),
    color,
    style,
    whole: label === '' ? message : `${isolated(label)}: ${message}`,
  });
}

/** For shields.io's endpoint badge (https://shields.io/badges/endpoint-badge). */
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

const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** In UTF-16 units: longer than any emoji, far shorter than stacked marks. */
const LETTER_LENGTH_MAX = 20;
/** As wide as it is high. */
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\ufe0f\uff01-\uff60]/u;

/** Cuts to so many columns, with `…`, never within a letter. A wide letter takes two. */
export function cutText(text: string, columnsMax: number): string {
  let [columns, shown, cut] = [0, '', ''];
  for (const letter of lettersOf(text)) {
    columns += WIDE.test(letter) ? 2 : 1;
    if (columns > columnsMax) return `${cut.trimEnd()}…`;
    shown += letter;
    if (columns < columnsMax) cut = shown;
  }
  return shown;
}

/** Graphemes: marks belong to their letter. */
export function* lettersOf(text: string): Iterable<string> {
  for (const { segment } of LETTERS.segment(text)) {
    yield segment.length <= LETTER_LENGTH_MAX ? segment : String.fromCodePoint(segment.codePointAt(0) ?? 0);
  }
}

export const BADGE_STYLES = ['flat', 'flat-square', 'plastic', 'for-the-badge'] as const;
export type BadgeStyle = (typeof BADGE_STYLES)[number];

/** Plain and short; the label may be empty. `whole` is for screen readers and tooltips. */
type DrawnBadge = Required<Omit<Badge, 'isError'>> & { readonly whole: string };

/**
 * The SVG of a badge (decision 0080). badge-maker measures unknown letters as a wide `m`. So it draws letters of
 * similar width, which the text then replaces.
 */
async function drawBadge({ color, style, whole, ...given }: DrawnBadge): Promise<string> {
  // Loaded with the first badge: its widths of letters take 4 MB.
  const { makeBadge } = await import('badge-maker');
  // As badge-maker does in this style.
  const written = (text: string) => (style === 'for-the-badge' ? text.toUpperCase() : text);
  const [label, message] = [drawnText(written(given.label)), drawnText(written(given.message))] as const;
  const svg = makeBadge({ label: label.standIn, message: message.standIn, color, style });
  const drawings = svg.match(TEXTS)?.length ?? 0;
  const ofLabel = given.label === '' ? 0 : drawings / 2;
  let drawn = 0;
  return svg
    .replace(/ aria-label="[^"]*"/, () => ` aria-label="${xmlText(whole)}"`)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${xmlText(whole)}</title>`)
    .replaceAll(TEXTS, (_, attributes: string) => {
      drawn += 1;
      const { text, further } = drawn <= ofLabel ? label : message;
      return `<text${attributes}${further}>${xmlText(text)}</text>`;
    });
}

/** For an element or an attribute. */
function xmlText(text: string): string {
  return escapeHtml(text).replaceAll('>', '&gt;'); // XML text must not contain `]]>`.
}

/** Possibly with shadows; escaped, so without angle brackets. */
const TEXTS = /<text( [^>]*)>[^<]*<\/text>/g;

/** A text, its stand-in for measuring, and further attributes. */
function drawnText(text: string) {
  const standIn = standInOf(text);
  // Fits the text into the estimated width; extra spacing would separate joined letters.
  const fit = standIn === text ? '' : ' lengthAdjust="spacingAndGlyphs"';
  return { text, standIn, further: fit + (isRightToLeft(text) ? ' direction="rtl"' : '') };
}

/** Scripts that badge-maker measures, or that are as wide as an `m`. */
const MEASURED =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Scripts with joined, narrow letters. */
const JOINED = /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mandaic}]/u;
/** Characters without width. */
const UNSEEN = /^\p{Cf}/u;

/**
 * Average letters for those measured as wide; marks and invisible characters are dropped. Empty only for an empty text.
 */
function standInOf(text: string): string {
  const letters = Array.from(lettersOf(text), (letter) => {
    if (UNSEEN.test(letter)) return '';
    if (MEASURED.test(letter)) return String.fromCodePoint(letter.codePointAt(0) ?? 0);
    return JOINED.test(letter) ? '(' : 'o';
  });
  return letters.join('') || (text === '' ? '' : 'o');
}

/** Path without `.svg` and `.json`, and the badge. */
interface BadgeDefinition<Params, Query> extends Pick<PublicRouteDefinition<Params, Query>, 'params' | 'query'> {
  readonly operationId: string;
  readonly summary: string;
  readonly path: `/badges/${string}`;
  /** Rejects with HttpError or RequestInvalid. */
  readonly badge: (...args: Parameters<PublicRouteDefinition<Params, Query>['response']>) => Promise<Badge>;
}

/** As SVG, and for shields.io. */
export function badgeRoutes<P, Q>(definition: BadgeDefinition<P, Q>): readonly PublicRoute[] {
  const { path, badge, operationId, summary, ...description } = definition;
  return [
    publicRoute<P, Q>({
      ...description,
      path: `${path}.svg`,
      operation: { operationId, summary },
      type: SVG_TYPE,
      headers: SVG_HEADERS,
      refuse: (error) => refused(error, svgOf),
      response: async (...args) => svgOf(await badge(...args)),
    }),
    publicRoute<P, Q>({
      ...description,
      path: `${path}.json`,
      operation: { operationId: `${operationId}ForShields`, summary: `${summary}, for shields.io` },
      type: JSON_TYPE,
      // shields.io ignores responses other than 200, and would not show the problem.
      refuse: async (error) => {
        const refusal = await refused(error, shieldsJsonOf);
        return refusal?.status === 404 || refusal?.status === 422 ? { ...refusal, status: 200 } : refusal;
      },
      response: async (...args) => shieldsJsonOf(await badge(...args)),
    }),
  ];
}

/** Undefined for a defect, or an error that badges don't show. */
async function refused(
  error: HttpError | RequestInvalid,
  bodyOf: (badge: Badge) => Awaitable<string>,
): Promise<PublicRefusal | undefined> {
  const shown = refusalOf(error);
  if (shown === undefined) return undefined;
  const badge: Badge = { label: 'modelstats', message: shown.message, color: 'red', isError: true };
  return { status: shown.status, body: await bodyOf(badge) };
}

function refusalOf(error: HttpError | RequestInvalid) {
  if (error instanceof HttpError) {
    const message = REFUSALS[error.code];
    return message === undefined ? undefined : { status: error.status, message };
  }
  const [problem] = error.detail;
  return problem && { status: 422, message: `${String(problem.loc.at(-1))}: ${problem.msg}` };
}

const REFUSALS: Readonly<Record<string, string>> = {
  not_found: 'unknown model',
  rate_limit_exceeded: 'too many requests',
  unavailable: 'not available now',
};

export const sourceBadgeRoutes = badgeRoutes({
  path: '/badges/source',
  operationId: 'getSourceBadge',
  summary: 'A badge that names the source of data',
  badge: async () => ({ label: 'data', message: 'modelstats', color: 'blue' }),
});
