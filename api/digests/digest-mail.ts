import { createHash } from 'node:crypto';
import { cursorFromSeq } from '../../schemas/change.ts';
import type { Mail } from '../accounts/mailer.ts';
import { CONSOLE_PATHS } from '../accounts/people/people.ts';
import {
  listOf,
  meterPriceSentence,
  modelPhrase,
  nameInText,
  newModelPhrase,
  priceChangeSentence,
} from '../site/feeds/words.ts';
import {
  AHEAD_DAYS,
  type Ahead,
  type DigestNews,
  type Leaders,
  type LifecycleMove,
  type PriceMove,
  type Section,
} from './digest-news.ts';
import type { Frequency } from './frequency.ts';

export interface DigestRecipient {
  readonly personId: string;
  readonly email: string;
  readonly frequency: Frequency;
  /** An organization of the person, whose console pages are linked. */
  readonly organizationId: string;
}

export interface DigestLinks {
  /** Scheme, host and base path, without a trailing slash. */
  readonly publicUrl: string;
  /** Ends the digest without signing in. */
  readonly stop: string;
}

/** A mail of everything that changed, in plain text. */
export function digestMail(news: DigestNews, recipient: DigestRecipient, links: DigestLinks): Mail {
  return {
    to: recipient.email,
    subject: digestSubject(news, recipient.frequency),
    text: digestText(news, recipient, links),
    headers: {
      'List-Unsubscribe': `<${links.stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click', // RFC 8058
      'Auto-Submitted': 'auto-generated', // RFC 3834: no automatic replies
      'Message-ID': messageId(news, recipient, links),
    },
  };
}

/** The same for a mail that is sent again, so that mail programs can drop it. */
function messageId({ from, to }: DigestNews, { personId }: DigestRecipient, { publicUrl }: DigestLinks): string {
  const name = createHash('sha256')
    .update(JSON.stringify([personId, from, to]))
    .digest('hex')
    .slice(0, 32);
  return `<digest.${name}@${new URL(publicUrl).hostname}>`;
}

function digestSubject(news: DigestNews, frequency: Frequency): string {
  const counts = [
    counted(news.prices, 'price change'),
    counted(news.added, 'new model'),
    counted(news.removed, 'removed model'),
    counted(news.lifecycle, 'lifecycle change'),
    counted(news.leaders, 'new leader'),
  ].filter((text) => text !== '');
  return `${frequency === 'daily' ? 'Daily' : 'Weekly'} digest to ${news.to}: ${listOf(counts, { max: counts.length })}`;
}

function counted({ total }: Section<unknown>, noun: string): string {
  return total === 0 ? '' : `${total.toLocaleString('en-US')} ${noun}${total === 1 ? '' : 's'}`;
}

function digestText(
  news: DigestNews,
  { frequency, organizationId }: DigestRecipient,
  { publicUrl, stop }: DigestLinks,
): string {
  const pages = `${publicUrl}/console/orgs/${organizationId}/data`;
  const changes = (type: string) => `${pages}/changes?entity_type=${type}`;
  const parts = [
    `What changed from ${news.from} to ${news.to} at ${publicUrl}`,
    sectionText('Price changes, largest first', news.prices, { textOf: priceText, page: changes('pricing') }),
    sectionText('New models', news.added, {
      textOf: (line) => newModelPhrase(line.model_id, line, line.providers),
      page: changes('model'),
    }),
    sectionText('Removed models', news.removed, {
      textOf: (line) => modelPhrase(line.model_id, line),
      page: changes('model'),
    }),
    sectionText('Deprecations and retirements', news.lifecycle, {
      textOf: (line) => lifecycleText(line, news),
      page: changes('model'),
    }),
    sectionText(`Retiring within ${AHEAD_DAYS} days`, news.ahead, { textOf: aheadText, page: `${pages}/lifecycle` }),
    sectionText('New leaders of rankings', news.leaders, { textOf: leadersText, page: `${pages}/rankings` }),
    [
      `The same by the API: GET ${publicUrl}/v1/changes?cursor=${cursorFromSeq(news.fromSeq)}`,
      `You get this mail because you chose a ${frequency} digest. If nothing changes, none is sent.`,
      `Change your choice: ${publicUrl}${CONSOLE_PATHS.home}/you`,
      `Stop the digest, without signing in: ${stop}`,
    ].join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

interface SectionText<T> {
  readonly textOf: (line: T) => string;
  /** Of the console. */
  readonly page: string;
}

/** Empty without lines. */
function sectionText<T>(title: string, { lines, total }: Section<T>, { textOf, page }: SectionText<T>): string {
  if (total === 0) return '';
  const heading = `${title} (${total.toLocaleString('en-US')})`;
  const rest = total - lines.length;
  const more = rest > 0 ? [`- and ${rest.toLocaleString('en-US')} more`] : [];
  return [heading, '-'.repeat(heading.length), ...lines.map((line) => `- ${textOf(line)}`), ...more, page].join('\n');
}

function priceText(move: PriceMove): string {
  const { model_id: id, meter, unit, providers } = move;
  if (meter !== null && unit !== null && move.price_before !== null && move.price_after !== null) {
    const prices = { before: move.price_before, after: move.price_after };
    return meterPriceSentence(id, providers, { meter, unit, currency: move.currency_after, ...prices });
  }
  const before = priceOf(move.price_before, move.output_before, move.currency_before);
  const after = priceOf(move.price_after, move.output_after, move.currency_after);
  return priceChangeSentence(id, providers, { before, after });
}

function priceOf(input: number | null, output: number | null, currency: string) {
  return { input_per_million: input, output_per_million: output, currency };
}

/** `Claude X (claude-x): will retire on 2027-03-01; replaced by claude-y`. */
export function lifecycleText(move: LifecycleMove, { to }: Pick<DigestNews, 'to'>): string {
  const { status_before: was, status_after: is } = move;
  const texts = [
    dateText('retire', [move.retires_before, move.retires_after], to),
    dateText('be deprecated', [move.deprecated_before, move.deprecated_after], to),
    is !== null && was !== is ? `status ${was === null ? '' : `from ${nameInText(was)} to `}${nameInText(is)}` : '',
    replacedText(move),
  ].filter((text) => text !== '');
  return `${modelPhrase(move.model_id, { name: move.name, organization: null })}: ${texts.join('; ')}`;
}

/** What is announced, moved, withdrawn, or has come by the day `to`. */
function dateText(
  verb: 'retire' | 'be deprecated',
  [before, after]: readonly [string | null, string | null],
  to: string,
) {
  const participle = verb === 'retire' ? 'retired' : 'deprecated';
  if (after === null) return before === null ? '' : `no longer announced to ${verb} (it was ${before})`;
  if (before === after) return after <= to ? `${participle} on ${after}` : '';
  const instead = before === null ? '' : `, not on ${before}`;
  return after <= to ? `${participle} on ${after}${instead}` : `will ${verb} on ${after}${instead}`;
}

function replacedText({ replaced_before: before, replaced_after: after }: LifecycleMove): string {
  return after === null || before === after ? '' : `replaced by ${nameInText(after)}`;
}

function aheadText({ model_id: id, name, retires_on: day, replaced_by: next }: Ahead): string {
  const phrase = modelPhrase(id, { name, organization: null });
  return `${day}: ${phrase}${next === null ? '' : `, replaced by ${nameInText(next)}`}`;
}

/** Models that share the first place. */
const LEADERS_MAX = 3;

function leadersText({ category, before, after }: Leaders): string {
  const names = (models: readonly string[]) => listOf(models.map(nameInText), { max: LEADERS_MAX });
  const was = before === null ? 'ranked for the first time' : `before: ${names(before)}`;
  return `${nameInText(category)}: ${names(after)} (${was})`;
}
