import pLimit from 'p-limit';
import type { BaseLogger } from 'pino';
import type { Day } from '../../runtime/day.ts';
import { repeat } from '../../runtime/repeat.ts';
import { doublingMs, retry } from '../../runtime/retry.ts';
import { withTemporaryFolder } from '../../runtime/temporary-folder.ts';
import { newId } from '../../runtime/ulid.ts';
import type { Catalog, CatalogEntry } from '../../schemas/catalog.ts';
import { loadCatalog, loadRelease } from '../../storage/catalog.ts';
import { isRefusedAddress, type Mailer } from '../accounts/mailer.ts';
import type { ControlDatabase } from '../database/control-database.ts';
import { orUnavailable } from '../database/database-errors.ts';
import { writeStatement } from '../database/write-transaction.ts';
import { digestMail } from './digest-mail.ts';
import { type DigestNews, type DigestNewsDeps, hasNews, readDigestNews } from './digest-news.ts';
import {
  claimDigest,
  type DueDigest,
  findDueDigests,
  findRecipient,
  putOffDigest,
  settleDigest,
} from './digest-queue.ts';
import type { StopLinks } from './digests.ts';

const SENDING = { everyMs: 10_000, retryMaxMs: 10 * 60_000, trouble: 'digests could not be sent' };
/** Rows read at once. */
const BATCH_MAX = 100;
/** Per process; mail servers limit connections. */
const AT_ONCE_MAX = 4;
/** After so many failures without a success the mail server counts as down, and other digests keep their tries. */
const FAILURES_MAX = 5;
/** Less than the claim, with time to record it. */
const SEND_TIMEOUT_MS = 2 * 60_000;
/** Of a mail that failed: from 1 minute to 1 hour; in all some seven hours. */
const RETRYING = { firstMs: 60_000, maxMs: 3_600_000 };
const TRIES_MAX = 12;
/** A mail that is sent but not recorded would be sent again. */
const RECORDING = { tries: 5, firstMs: 500, maxMs: 8_000 };

/**
 * - `sent`.
 * - `nothing`: nothing changed.
 * - `nobody`: the person has no verified address, or is a member of no organization.
 * - `failed`: the mail server did not take it; it is tried again, or given up until the next digest.
 * - `lost`: sent, but another process has claimed it meanwhile, or the person has stopped it.
 */
export type DigestResult = 'sent' | 'nothing' | 'nobody' | 'failed' | 'lost';

export interface DigestEvent {
  readonly result: DigestResult;
  readonly digest: DueDigest;
  readonly error?: unknown;
  /** After a failure: whether this was the last try before the next digest. */
  readonly isGivenUp?: boolean;
}

export interface DigestServiceDeps extends DigestNewsDeps {
  readonly control: ControlDatabase;
  readonly clock: () => Date;
  readonly mailer: Mailer;
  readonly stopLinks: StopLinks;
  readonly publicUrl: string;
  /** Of the UTC day, at which digests are due. */
  readonly hour: number;
  /** For temporary files. */
  readonly workFolder: string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onEvent: (event: DigestEvent) => void;
  readonly log: Pick<BaseLogger, 'info' | 'error'>;
}

/** Sends due digests. Several processes may share a PostgreSQL database (specification "Digests by email"). */
export class DigestService {
  readonly #deps: DigestServiceDeps;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  /** The newest releases' news, by the day that they begin after. */
  #news: { readonly of: string; readonly byDay: Map<Day, Promise<DigestNews>> } = { of: '', byDay: new Map() };
  /** DuckDB's memory limit is per database. */
  readonly #reading = pLimit(1);
  #failuresInRow = 0;
  #loop: Promise<unknown> = Promise.resolve();

  constructor(deps: DigestServiceDeps) {
    this.#deps = deps;
  }

  /** Runs until {@link stop}. */
  start(): void {
    this.#loop = repeat(() => this.sendDue(), SENDING, { ...this.#deps, signal: this.#stop.signal });
  }

  /** Mails still under way after the timeout are aborted. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stop.abort();
    const timer = setTimeout(() => this.#abort.abort(), timeoutMs);
    await this.#loop;
    clearTimeout(timer);
  }

  /** Sends all that are due now. Rejects if the store, the database or the mail server doesn't work. */
  async sendDue(): Promise<void> {
    const { control, clock, store } = this.#deps;
    this.#failuresInRow = 0;
    for (;;) {
      const due = await orUnavailable(() => findDueDigests(control.kysely, { now: clock(), limit: BATCH_MAX }));
      if (due.length === 0) return;
      const { catalog } = await loadCatalog(store);
      const atOnce = pLimit(AT_ONCE_MAX);
      const ends = await Promise.allSettled(due.map((digest) => atOnce(() => this.#process(digest, catalog))));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      if (this.#stop.signal.aborted || due.length < BATCH_MAX) return;
    }
  }

  async #process(digest: DueDigest, catalog: Catalog | undefined): Promise<void> {
    const { control, clock, onEvent } = this.#deps;
    if (this.#stop.signal.aborted || this.#failuresInRow >= FAILURES_MAX) return;
    const reported = findReported(catalog, digest.reportedDay);
    const period = periodOf(catalog, reported);
    const news = period && (await this.#read(period));
    const claim = { claimId: newId('claim'), now: clock() };
    if (!(await writeStatement(control, (database) => claimDigest(database, digest, claim)))) return;
    const recipient = await orUnavailable(() => findRecipient(control.kysely, digest));
    const reportedDay = news?.to ?? reported ?? catalog?.releases.at(-1)?.day ?? null;
    if (recipient === undefined || news === undefined || !hasNews(news)) {
      await this.#settle(digest, { claimId: claim.claimId, reportedDay });
      onEvent({ result: recipient === undefined ? 'nobody' : 'nothing', digest });
      return;
    }
    const { stopLinks, publicUrl } = this.#deps;
    const links = { publicUrl, stop: stopLinks.linkFor(digest.personId, publicUrl) };
    await this.#send(digest, digestMail(news, recipient, links), { claimId: claim.claimId, reportedDay: news.to });
  }

  async #send(
    digest: DueDigest,
    mail: ReturnType<typeof digestMail>,
    { claimId, reportedDay }: { readonly claimId: string; readonly reportedDay: Day },
  ): Promise<void> {
    const { mailer, onEvent } = this.#deps;
    try {
      await mailer.send({
        ...mail,
        signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]),
      });
    } catch (error) {
      if (this.#abort.signal.aborted) return this.#putOff(digest, { claimId, delayMs: 0 });
      return this.#fail(digest, { claimId, error });
    }
    this.#failuresInRow = 0;
    const isSettled = await this.#settle(digest, { claimId, reportedDay });
    onEvent({ result: isSettled ? 'sent' : 'lost', digest });
  }

  async #fail(
    digest: DueDigest,
    { claimId, error }: { readonly claimId: string; readonly error: unknown },
  ): Promise<void> {
    const isRefused = isRefusedAddress(error);
    const tries = digest.failures + 1;
    const isGivenUp = isRefused || tries >= TRIES_MAX;
    await this.#putOff(digest, {
      claimId,
      delayMs: isGivenUp ? undefined : doublingMs(tries, RETRYING),
      failures: isGivenUp ? 0 : tries,
    });
    this.#deps.onEvent({ result: 'failed', digest, error, isGivenUp });
    if (isRefused) return;
    this.#failuresInRow += 1;
    if (this.#failuresInRow >= FAILURES_MAX) throw error;
  }

  /** Retried, so that a mail is not sent again because the database was briefly unavailable. */
  #settle(digest: DueDigest, end: { readonly claimId: string; readonly reportedDay: Day | null }): Promise<boolean> {
    const { control, clock, hour } = this.#deps;
    const settle = () =>
      writeStatement(control, (database) => settleDigest(database, digest, { ...end, now: clock(), hour }));
    return retry(settle, {
      delayAfter: (_, attempt) => (attempt < RECORDING.tries ? doublingMs(attempt, RECORDING) : undefined),
    });
  }

  async #putOff(
    digest: DueDigest,
    {
      claimId,
      delayMs,
      failures = digest.failures,
    }: { readonly claimId: string; readonly delayMs: number | undefined; readonly failures?: number },
  ): Promise<void> {
    const { control, clock, hour } = this.#deps;
    const now = clock();
    const until = delayMs === undefined ? undefined : new Date(now.getTime() + delayMs);
    await writeStatement(control, (database) =>
      putOffDigest(database, digest, { claimId, now, hour, until, failures }),
    );
  }

  /** Once per period: many people have the same. */
  #read({ before, after }: Period): Promise<DigestNews> {
    if (this.#news.of !== after.release_sha256) this.#news = { of: after.release_sha256, byDay: new Map() };
    const { byDay } = this.#news;
    const known = byDay.get(before.day);
    if (known !== undefined) return known;
    const [oldest] = byDay.keys();
    if (byDay.size >= NEWS_MAX && oldest !== undefined) byDay.delete(oldest);
    const reading = this.#reading(() => readPeriod({ before, after }, this.#deps));
    byDay.set(before.day, reading);
    reading.catch(() => byDay.delete(before.day));
    return reading;
  }
}

/** Periods in memory, of some 20 kB each. */
const NEWS_MAX = 40;

export interface Period {
  readonly before: CatalogEntry;
  readonly after: CatalogEntry;
}

/** The day of a release that was redated since; without a release that was, the day itself. */
export function findReported(catalog: Catalog | undefined, reportedDay: Day | null): Day | null {
  const isKnown = catalog?.releases.some(({ day }) => day === reportedDay) === true;
  const redated = isKnown ? undefined : catalog?.releases.findLast(({ redated_from: was }) => was?.day === reportedDay);
  return redated?.day ?? reportedDay;
}

/**
 * From the newest day that a digest covered to the newest release; undefined if there is nothing newer. Where that snapshot was
 * pruned, the next one counts.
 *
 * @param reportedDay null: nothing was published then, so the person begins with the newest
 */
export function periodOf(catalog: Catalog | undefined, reportedDay: Day | null): Period | undefined {
  if (catalog === undefined || reportedDay === null) return undefined;
  const { releases } = catalog;
  const at = Math.max(
    0,
    releases.findLastIndex(({ day }) => day <= reportedDay),
  );
  const before = releases.slice(at).find(({ parts }) => parts.includes('snapshot'));
  const after = releases.at(-1);
  return before === undefined || after === undefined || before === after ? undefined : { before, after };
}

export function readPeriod(
  { before, after }: Period,
  deps: DigestNewsDeps & Pick<DigestServiceDeps, 'workFolder' | 'clock'>,
): Promise<DigestNews> {
  const { store, workFolder, clock } = deps;
  return withTemporaryFolder(workFolder, { prefix: 'digests-', now: clock() }, async (folder) => {
    const releases = { before: await loadRelease(store, before), after: await loadRelease(store, after) };
    return readDigestNews({ ...releases, folder }, deps);
  });
}
