/** Calendars of whole days (RFC 5545), as text. */
import type { Day } from '../../../runtime/day.ts';

export const CALENDAR_TYPE = 'text/calendar; charset=utf-8';

export interface Calendar {
  readonly name: string;
  readonly description: string;
  readonly events: readonly CalendarEvent[];
}

/** Plain text, without line breaks but in `text`. */
export interface CalendarEvent {
  /** The same forever, also when the day moves: ASCII. */
  readonly uid: string;
  readonly day: Day;
  /** When it last changed. */
  readonly changedAt: Date;
  readonly title: string;
  readonly text: string;
  readonly category: string;
  /** Absolute. */
  readonly url: string;
}

/** Days that don't count as busy. Subscribers ask again once a day. */
export function calendarText({ name, description, events }: Calendar): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//modelstats//modelstats//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    `DESCRIPTION:${escaped(description)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:P1D',
    'X-PUBLISHED-TTL:P1D',
    ...events.flatMap(eventLines),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

function eventLines({ uid, day, changedAt, title, text, category, url }: CalendarEvent): readonly string[] {
  const stamp = `${changedAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${stamp}`,
    `LAST-MODIFIED:${stamp}`,
    `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`,
    `SUMMARY:${escaped(title)}`,
    `DESCRIPTION:${escaped(text)}`,
    `CATEGORIES:${escaped(category)}`,
    `URL:${url}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** A value of the type TEXT. */
function escaped(text: string): string {
  return text.replaceAll(/[\\;,]/g, '\\$&').replaceAll('\n', '\\n');
}

/** Octets of a line without its break. */
const LINE_OCTETS_MAX = 75;

/** Long lines go on behind a line break and a space, never within a character. */
function folded(line: string): string {
  let [text, octets] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LINE_OCTETS_MAX) [text, octets] = [`${text}\r\n `, 1];
    text += character;
    octets += size;
  }
  return text;
}
