import { sql } from 'kysely';
import type { BaseLogger } from 'pino';
import type { Day } from '../../../runtime/day.ts';
import { messageFromError } from '../../../runtime/errors.ts';
import { defaultsOf } from '../../../runtime/setting.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database, RequestCountsRow } from '../../database/tables/tables.ts';
import type { Caller } from '../caller.ts';
import { COUNT_NAMES, type CountName, NO_REQUESTS } from './request-counts.ts';
import { USAGE_SETTINGS } from './usage-settings.ts';

/** A request of a valid key that is over. */
export interface FinishedRequest {
  readonly caller: Caller;
  /** The UTC day of its unit; where it took none, the day on which it ended. */
  readonly day: Day;
  /** As in the documentation; undefined for what is no route to the caller. */
  readonly route: string | undefined;
  /** By how much it changed the day's units, all told. */
  readonly units: number;
  /** What it counts as beside `requests` and `units`; undefined: nothing, as where it was answered. */
  readonly outcome: Exclude<CountName, 'requests' | 'units'> | undefined;
}

/** The route of what is none. */
const UNKNOWN_ROUTE = 'unknown';

const DEFAULTS = defaultsOf(USAGE_SETTINGS);
export const RECORDER_OPTIONS = {
  /** Between two writes. Smaller: fewer seconds are lost in a crash. Larger: fewer writes. */
  flushMs: DEFAULTS.flushMs,
  /**
   * Rows that are counted in memory, some 300 bytes each; from half of it on they are written at once. Beyond it, which only
   * happens while the database can't be written, requests that would need another row are dropped.
   */
  rowsMax: DEFAULTS.rowsMax,
  /** Rows of one write. More hold up other requests for longer on SQLite. */
  rowsAtOnce: 200,
};
export type RecorderOptions = Readonly<typeof RECORDER_OPTIONS>;

export interface RecorderDeps {
  /** Adds to the rows of the control database, in one transaction. */
  readonly addCounts: (rows: readonly RequestCountsRow[]) => Promise<void>;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
  /** Told of requests whose counts are lost. */
  readonly onDropped: (requests: number) => void;
}

/** A row of the control database, or what is still to be added to it. */
type OpenRow = { -readonly [Name in keyof RequestCountsRow]: RequestCountsRow[Name] };

/**
 * Counts requests in memory and adds them to the control database every few seconds, many in one write (specification "Usage
 * details"; decision 0063). Counting takes a look-up and some additions, and waits for nothing. What could not be written stays
 * and is tried again with the next; what a killed process had not written yet is lost. The quota knows nothing of this.
 */
export class RequestRecorder {
  readonly #deps: RecorderDeps;
  readonly #options: RecorderOptions;
  readonly #timer: NodeJS.Timeout;
  /** What is not written yet, by key; a key has few rows: one per route, and around midnight two. */
  readonly #rows = new Map<string, OpenRow[]>();
  #size = 0;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #isFailing = false;
  /** Since the last write that succeeded. */
  #dropped = 0;

  constructor(deps: RecorderDeps, options: RecorderOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#timer = setInterval(() => this.#flushSoon(), options.flushMs).unref();
  }

  count(request: FinishedRequest): void {
    const row = this.#findRow(request) ?? this.#addRow(request);
    if (row === undefined) return;
    const { units, outcome } = request;
    row.requests += 1;
    row.units += units;
    if (outcome !== undefined) row[outcome] += 1;
  }

  /** Writes what was counted before. Never rejects: what can't be written stays for the next time. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes what is left; what can't be written is lost then. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    let lost = 0;
    for (const rows of this.#rows.values()) for (const { requests } of rows) lost += requests;
    if (lost === 0) return;
    this.#deps.log.warn({ requests: lost }, 'usage details are lost that could not be written before the end');
    this.#deps.onDropped(lost);
  }

  /** Without waiting in line: a database that hangs would make the line longer and longer. */
  #flushSoon(): void {
    if (!this.#isWriting) void this.flush();
  }

  #findRow({ caller, day, route = UNKNOWN_ROUTE }: FinishedRequest): OpenRow | undefined {
    const rows = this.#rows.get(caller.credentialId);
    if (rows === undefined) return undefined;
    for (const row of rows)
      if (row.route === route && row.day === day && row.client_source === caller.clientSource) return row;
    return undefined;
  }

  #addRow({ caller, day, route = UNKNOWN_ROUTE }: FinishedRequest): OpenRow | undefined {
    const { organizationId: organization_id, credentialId: api_key_id, clientSource: client_source } = caller;
    const { rowsMax } = this.#options;
    if (this.#size >= rowsMax) return this.#drop();
    const row: OpenRow = { organization_id, day, api_key_id, route, client_source, ...NO_REQUESTS };
    const rows = this.#rows.get(api_key_id);
    if (rows === undefined) this.#rows.set(api_key_id, [row]);
    else rows.push(row);
    this.#size += 1;
    if (this.#size * 2 >= rowsMax && !this.#isFailing) this.#flushSoon();
    return row;
  }

  #drop(): undefined {
    if (this.#dropped === 0)
      this.#deps.log.warn(
        { rows: this.#size },
        'usage details are dropped: there is no room for more until they are written',
      );
    this.#dropped += 1;
    this.#deps.onDropped(1);
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      const open = [...this.#rows.values()].flat();
      for (let from = 0; from < open.length; from += this.#options.rowsAtOnce) {
        await this.#writeSome(open.slice(from, from + this.#options.rowsAtOnce));
        await new Promise((resolve) => setImmediate(resolve)); // Requests come first.
      }
      if (open.length > 0) this.#recovered();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isWriting = false;
    }
  }

  /** What is counted while it is written stays for the next time. */
  async #writeSome(open: readonly OpenRow[]): Promise<void> {
    const written = open.map((row) => ({ ...row }));
    await this.#deps.addCounts(written);
    for (const [index, row] of open.entries()) {
      for (const name of COUNT_NAMES) row[name] -= written[index]?.[name] ?? 0;
      if (row.requests === 0) this.#removeRow(row);
    }
  }

  #removeRow(row: OpenRow): void {
    const rows = (this.#rows.get(row.api_key_id) ?? []).filter((other) => other !== row);
    if (rows.length === 0) this.#rows.delete(row.api_key_id);
    else this.#rows.set(row.api_key_id, rows);
    this.#size -= 1;
  }

  #failed(error: unknown): void {
    if (!this.#isFailing)
      this.#deps.log.warn(
        { reason: messageFromError(error) },
        'usage details can not be written; they are kept and tried again',
      );
    this.#isFailing = true;
  }

  #recovered(): void {
    if (this.#isFailing) this.#deps.log.info({ dropped: this.#dropped }, 'usage details are written again');
    this.#isFailing = false;
    this.#dropped = 0;
  }
}

/** Names a row. */
export const COUNTS_KEY = ['organization_id', 'day', 'api_key_id', 'route', 'client_source'] as const;

/**
 * Adds to the counts of these rows, each of which is named once, in one statement. Several servers add to the same rows, each
 * locking them in one order, so they wait for each other but never in a circle. Rejects with `unavailable`; then nothing was
 * added, unless PostgreSQL's connection broke between its commit and its answer.
 */
export function addCounts(database: Database, rows: readonly RequestCountsRow[]): Promise<void> {
  return orUnavailable(async () => {
    await database
      .insertInto('request_counts')
      .values(rows.toSorted(byKey))
      .onConflict((conflict) =>
        conflict
          .columns(COUNTS_KEY)
          .doUpdateSet(
            Object.fromEntries(
              COUNT_NAMES.map((name) => [
                name,
                sql<number>`${sql.ref(`request_counts.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
              ]),
            ),
          ),
      )
      .execute();
  });
}

function byKey(a: RequestCountsRow, b: RequestCountsRow): number {
  for (const name of COUNTS_KEY) {
    if (a[name] < b[name]) return -1;
    if (a[name] > b[name]) return 1;
  }
  return 0;
}
