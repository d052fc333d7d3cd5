import { makeBadge } from 'badge-maker';
import { JSON_TYPE } from '../data/responses/data-responses.ts';
import { HttpError, type RequestInvalid } from '../server/errors/http-error.ts';
import { escapeHtml } from '../server/pages/html.tsx';
import { isolated, isRightToLeft, plainText } from './plain-text.ts';
import { type PublicRefusal, type PublicRoute, type PublicRouteDefinition, publicRoute } from './public-route.ts';

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

const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** More than any emoji has, and far less than marks that are heaped on a letter, in units of UTF-16. */
const LETTER_LENGTH_MAX = 20;
/** What is drawn as wide as it is high. */
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\ufe0f\uff01-\uff60]/u;

/**
 * How much of a text a badge shows.
 *
 * A plain text of at most so many columns, of which a wide letter takes two; what is cut ends in `…`, never within a letter.
 */
export function cutText(text: string, columnsMax: number): string {
  let [columns, shown, kept] = [0, '', ''];
  for (const letter of lettersOf(text)) {
    columns += WIDE.test(letter) ? 2 : 1;
    if (columns > columnsMax) return `${kept.trimEnd()}…`;
    shown += letter;
    if (columns < columnsMax) kept = shown;
  }
  return shown;
}

/** What people take for letters, one by one: marks belong to what they stand on. */
export function* lettersOf(text: string): Iterable<string> {
  for (const { segment } of LETTERS.segment(text)) {
    yield segment.length <= LETTER_LENGTH_MAX ? segment : String.fromCodePoint(segment.codePointAt(0) ?? 0);
  }
}

export const BADGE_STYLES = ['flat', 'flat-square', 'plastic', 'for-the-badge'] as const;
export type BadgeStyle = (typeof BADGE_STYLES)[number];

/** What is drawn: plain texts that are short enough, a label that may be empty, and all of it is read out and told by a pointer. */
type DrawnBadge = Required<Omit<Badge, 'isError'>> & { readonly whole: string };

/**
 * The picture of a badge (decision 0080). badge-maker makes it for letters that take about as much room as the text, in whose place the text is
 * put then: what its table of Verdana doesn't have it takes for an `m`, which most of it isn't.
 */
function drawBadge({ color, style, whole, ...given }: DrawnBadge): string {
  // As badge-maker writes them in this style.
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

/** A plain text within an element or an attribute. */
function xmlText(text: string): string {
  return escapeHtml(text).replaceAll('>', '&gt;'); // `]]>` may stand in no text of XML.
}

/** A label or a message, once or with its shadows; its own text is escaped, so it has no angle bracket. */
const TEXTS = /<text( [^>]*)>[^<]*<\/text>/g;

/** A text, what it is measured as, and the attributes that it needs then. */
function drawnText(text: string) {
  const standIn = standInOf(text);
  // Drawn into the room that was guessed as a whole: with room between letters instead, those that join would come apart.
  const fit = standIn === text ? '' : ' lengthAdjust="spacingAndGlyphs"';
  return { text, standIn, further: fit + (isRightToLeft(text) ? ' direction="rtl"' : '') };
}

/** Scripts that badge-maker measures as they are, or takes for an `m`, as wide as which their letters are. */
const MEASURED =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Scripts whose letters join, and are narrow. */
const JOINED = /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mandaic}]/u;
/** What takes no room of its own. */
const UNSEEN = /^\p{Cf}/u;

/** A letter of a usual width for each that would be measured as a wide one; marks, and signs that nobody sees, left out. Empty for nothing alone. */
function standInOf(text: string): string {
  const letters = Array.from(lettersOf(text), (letter) => {
    if (UNSEEN.test(letter)) return '';
    if (MEASURED.test(letter)) return String.fromCodePoint(letter.codePointAt(0) ?? 0);
    return JOINED.test(letter) ? '(' : 'o';
  });
  return letters.join('') || (text === '' ? '' : 'o');
}

/** A badge as it is written down: its path without `.svg` and `.json`, and what it says. */
interface BadgeDefinition<Params, Query> extends Pick<PublicRouteDefinition<Params, Query>, 'params' | 'query'> {
  readonly operationId: string;
  readonly summary: string;
  readonly path: `/badges/${string}`;
  /** Rejects with HttpError or RequestInvalid. */
  readonly badge: (...asked: Parameters<PublicRouteDefinition<Params, Query>['response']>) => Promise<Badge>;
}

/** A badge as a picture, and for shields.io. */
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
      response: async (...asked) => svgOf(await badge(...asked)),
    }),
    publicRoute<P, Q>({
      ...description,
      path: `${path}.json`,
      operation: { operationId: `${operationId}ForShields`, summary: `${summary}, for shields.io` },
      type: JSON_TYPE,
      // What is no 200 shields.io doesn't read, and so would say nothing of what is wrong.
      refuse: (error) => {
        const refusal = refused(error, shieldsJsonOf);
        return refusal?.status === 404 || refusal?.status === 422 ? { ...refusal, status: 200 } : refusal;
      },
      response: async (...asked) => shieldsJsonOf(await badge(...asked)),
    }),
  ];
}

/** An error as a badge; undefined where it is a defect, or of what is no badge. */
function refused(error: HttpError | RequestInvalid, bodyOf: (badge: Badge) => string): PublicRefusal | undefined {
  const told = wordsOf(error);
  if (told === undefined) return undefined;
  const badge: Badge = { label: 'modelstats', message: told.message, color: 'red', isError: true };
  return { status: told.status, body: bodyOf(badge) };
}

function wordsOf(error: HttpError | RequestInvalid) {
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

/** The badge that says where data come from. */
export const sourceBadgeRoutes = badgeRoutes({
  path: '/badges/source',
  operationId: 'getSourceBadge',
  summary: 'A badge that says where data come from',
  badge: async () => ({ label: 'data', message: 'modelstats', color: 'blue' }),
});
