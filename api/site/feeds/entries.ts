import type { Day } from '../../../runtime/day.ts';
import type { NewsLine, NewsLines } from './night-news.ts';
import { type DateTopic, type EntryContent, TOPICS, type Topic, type TopicWriter, topicOf } from './topics.ts';

/** An entry without its addresses. */
export interface Entry {
  readonly day: Day;
  readonly topic: Topic | DateTopic;
  /** The first event that it covers, or a date's own name. */
  readonly seq: number | string;
  readonly title: string;
  readonly text: string;
  /** Its page below the base URL; empty for several things, or a removed one. */
  readonly page: string;
}

/** Per night and topic. More things share one entry, so that a large night does not fill the feed. */
export const SINGLES_MAX = 3;

/** Newest night first, in the order of topics. An entry covers one night, so later nights never change it. */
export function entriesFrom(
  lines: readonly NewsLine[],
  writers: Readonly<Record<Topic, TopicWriter>>,
): readonly Entry[] {
  const nights = [...Map.groupBy(lines, ({ day }) => day)].sort(([a], [b]) => (a > b ? -1 : 1));
  return nights.flatMap(([day, ofNight]) => {
    const byTopic = Map.groupBy(ofNight, topicOf);
    return TOPICS.flatMap((topic) => {
      const ofTopic = byTopic.get(topic) ?? [];
      return entriesOf(ofTopic, writers[topic]).map((entry) => ({ day, topic, ...entry }));
    });
  });
}

function entriesOf(lines: readonly NewsLine[], writer: TopicWriter): readonly Omit<Entry, 'day' | 'topic'>[] {
  const units = [...Map.groupBy(lines, writer.unitOf)];
  const more = countOf(lines) - lines.length;
  if (units.length > 1 && (units.length > SINGLES_MAX || more > 0)) {
    return nonEmpty(lines).map((all) => entryOf(all, { content: writer.writeMany(all), more, page: '' }));
  }
  return units.flatMap(([unit, ofUnit]) => {
    const page = writer.pages === undefined ? '' : `embed/${writer.pages}/${pathPart(unit)}`;
    return nonEmpty(ofUnit).map((all) =>
      entryOf(all, { content: writer.writeOne(all, all.length + more), more, page }),
    );
  });
}

/** With unread lines: each kind of change has its own count. */
function countOf(lines: readonly NewsLine[]): number {
  const counts = new Map(lines.map((line) => [keyOfCount(line), line.lines]));
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function keyOfCount({ kind, change, parts }: NewsLine): string {
  return JSON.stringify(kind === 'ranking' ? [change, parts] : [change]);
}

interface EntryParts extends Pick<Entry, 'page'> {
  readonly content: EntryContent;
  /** Lines that were not read. */
  readonly more: number;
}

function entryOf(lines: NewsLines, { content, more, page }: EntryParts): Omit<Entry, 'day' | 'topic'> {
  const rest = more > 0 ? [`and ${more.toLocaleString('en-US')} more`] : [];
  return {
    seq: Math.min(...lines.map(({ seq }) => seq)),
    title: content.title,
    text: [...content.lines, ...rest].join('\n'),
    page,
  };
}

function nonEmpty([first, ...others]: readonly NewsLine[]): readonly NewsLines[] {
  return first === undefined ? [] : [[first, ...others]];
}

/** Tags need a date: a day before any service of this kind. */
const FEEDS_SINCE = '2026-01-01';

/**
 * Names of feeds and entries (RFC 4151) below a base URL: authority, a day on which it had the name, item. Scheme and
 * port don't count, so https changes no name.
 */
export function tagsOf(baseUrl: string) {
  const { hostname, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/^\/|\/$/g, '');
  const begin = prefix === '' ? '' : `${prefix}/`;
  const tag = (day: Day, name: string) => `tag:${authorityOf(hostname)},${day}:${begin}${name}`;
  return {
    /** By its path without the format, such as `feeds/models`. */
    feed: (path: string) => tag(FEEDS_SINCE, path),
    /** By night, path and first event or name. */
    entry: (day: Day, path: string, seq: number | string) => tag(day, `${path}/${seq}`),
  };
}

/** A tag's authority is a domain name; an IPv6 address is rewritten. */
function authorityOf(hostname: string): string {
  return hostname.startsWith('[') ? `ip6-${hostname.slice(1, -1).replaceAll(':', 'x')}` : hostname;
}

/** Encodes an id for a tag's or URL's path. */
export function pathPart(id: string): string {
  return encodeURIComponent(id);
}
