import type { Day } from '../../../runtime/day.ts';
import type { NewsLine, NewsLines } from './night-news.ts';
import { type Telling, TOPICS, type Topic, type TopicTeller, topicOf } from './topics.ts';

/** An entry before it has an address. */
export interface Entry {
  readonly day: Day;
  readonly topic: Topic;
  /** The first event that it tells. */
  readonly seq: number;
  readonly title: string;
  readonly text: string;
  /** The page about it, below the base URL; empty where it is about several things, or what is gone. */
  readonly page: string;
}

/** Things of a night and topic that are told in an entry each. More of them are told in one, so that a large night leaves room for others. */
export const SINGLES_MAX = 3;

/**
 * The entries of news, newest night first, in the order of the topics. An entry is made of one night's events alone, so what was told once
 * stays as it is, whatever comes later.
 */
export function entriesFrom(
  lines: readonly NewsLine[],
  tellers: Readonly<Record<Topic, TopicTeller>>,
): readonly Entry[] {
  const nights = [...Map.groupBy(lines, ({ day }) => day)].sort(([a], [b]) => (a > b ? -1 : 1));
  return nights.flatMap(([day, ofNight]) => {
    const byTopic = Map.groupBy(ofNight, topicOf);
    return TOPICS.flatMap((topic) => {
      const ofTopic = byTopic.get(topic) ?? [];
      return entriesOf(ofTopic, tellers[topic]).map((entry) => ({ day, topic, ...entry }));
    });
  });
}

function entriesOf(lines: readonly NewsLine[], teller: TopicTeller): readonly Omit<Entry, 'day' | 'topic'>[] {
  const units = [...Map.groupBy(lines, teller.unitOf)];
  const more = countOf(lines) - lines.length;
  if (units.length > 1 && (units.length > SINGLES_MAX || more > 0)) {
    return nonEmpty(lines).map((all) => entryOf(all, { telling: teller.tellMany(all), more, page: '' }));
  }
  return units.flatMap(([unit, ofUnit]) => {
    const page = teller.pages === undefined ? '' : `embed/${teller.pages}/${pathPart(unit)}`;
    return nonEmpty(ofUnit).map((all) => entryOf(all, { telling: teller.tellOne(all, all.length + more), more, page }));
  });
}

/** How many lines there are, with those that were not read: each kind of change has its own count. */
function countOf(lines: readonly NewsLine[]): number {
  const counts = new Map(lines.map((line) => [keyOfCount(line), line.lines]));
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function keyOfCount({ kind, change, parts }: NewsLine): string {
  return JSON.stringify(kind === 'ranking' ? [change, parts] : [change]);
}

interface EntryParts extends Pick<Entry, 'page'> {
  readonly telling: Telling;
  /** Lines that were not read. */
  readonly more: number;
}

function entryOf(lines: NewsLines, { telling, more, page }: EntryParts): Omit<Entry, 'day' | 'topic'> {
  const rest = more > 0 ? [`and ${more.toLocaleString('en-US')} more`] : [];
  return {
    seq: Math.min(...lines.map(({ seq }) => seq)),
    title: telling.title,
    text: [...telling.lines, ...rest].join('\n'),
    page,
  };
}

function nonEmpty([first, ...others]: readonly NewsLine[]): readonly NewsLines[] {
  return first === undefined ? [] : [[first, ...others]];
}

/** A day that no service of this kind is older than; a feed has no day of its own. */
const FEEDS_SINCE = '2026-01-01';

/**
 * Names of feeds and entries (RFC 4151) below a base URL, `scheme://host[:port]/prefix`: an authority, a day on which the name was its
 * own, and what is named. Scheme and port don't count: the same
 * feed stays the same over https.
 */
export function tagsOf(baseUrl: string) {
  const { hostname, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/^\/|\/$/g, '');
  const begin = prefix === '' ? '' : `${prefix}/`;
  const tag = (day: Day, name: string) => `tag:${authorityOf(hostname)},${day}:${begin}${name}`;
  return {
    /** Of a feed: its path without the format, such as `feeds/models`. */
    feed: (path: string) => tag(FEEDS_SINCE, path),
    /** Of an entry: the night, a path inside it, and the first event that it tells. */
    entry: (day: Day, path: string, seq: number) => tag(day, `${path}/${seq}`),
  };
}

/** A host as the authority of a tag, which is a domain name: an IPv6 address is made one. */
function authorityOf(hostname: string): string {
  return hostname.startsWith('[') ? `ip6-${hostname.slice(1, -1).replaceAll(':', 'x')}` : hostname;
}

/** A part of a tag's path, or of a URL's: an id in any script. */
export function pathPart(id: string): string {
  return encodeURIComponent(id);
}
