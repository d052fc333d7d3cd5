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

/** A finished request with a valid key. */
export interface FinishedRequest {
  readonly caller: Caller;
  /** The UTC day of its unit; without one, the day it ended. */
  readonly day: Day;
  /** As documented; undefined for no route of the caller. */
  readonly route: string | undefined;
  /** Its total change of the day's units. */
  readonly units: number;
  /** Counted besides `requests` and `units`; undefined for a normal response. */
  readonly outcome: Exclude<CountName, 'requests' | 'units'> | undefined;
}

const UNKNOWN_ROUTE = 'unknown';

const DEFAULTS = defaultsOf(USAGE_SETTINGS);
export const RECORDER_OPTIONS = {
  /** Interval of writes. Smaller: a crash loses less. Larger: fewer writes. */
  flushMs: DEFAULTS.flushMs,
  /** Some 300 bytes each; written at once when half full. When full, requests that need another row are dropped. */
  rowsMax: DEFAULTS.rowsMax,
  /** Rows per write. More delay other requests on SQLite. */
  rowsAtOnce: 200,
};
export type RecorderOptions = Readonly<typeof RECORDER_OPTIONS>;

export interface RecorderDeps {
  /** In one transaction. */
  readonly addCounts: (rows: readonly RequestCountsRow[]) => Promise<void>;
  readonly log: Pick<BaseLogger, 'info' | 'warn'>;
  /** Called with the number of requests whose counts are lost. */
  readonly onDropped: (requests: number) => void;
}

type OpenRow = { -readonly [Name in keyof RequestCountsRow]: RequestCountsRow[Name] };

/**
 * Counts in memory and writes batches (specification "Usage details"; decision 0063). Counting never waits; failed
 * writes are retried; a killed process loses unwritten counts. Independent of the quota.
 */
export class RequestRecorder {
  readonly #deps: RecorderDeps;
  readonly #options: RecorderOptions;
  readonly #timer: NodeJS.Timeout;
  /** Unwritten rows by key; a key has one per route, two around midnight. */
  readonly #rows = new Map<string, OpenRow[]>();
  #size = 0;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #isFailing = false;
  /** Since the last successful write. */
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

  /** Never rejects; failures are retried. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes the rest; what fails is lost. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    let lost = 0;
    for (const rows of this.#rows.values()) for (const { requests } of rows) lost += requests;
    if (lost === 0) return;
    this.#deps.log.warn({ requests: lost }, 'usage details that could not be written are lost');
    this.#deps.onDropped(lost);
  }

  /** Doesn't queue: writes would pile up while the database hangs. */
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
      this.#deps.log.warn({ rows: this.#size }, 'usage details are dropped: too many are waiting to be written');
    this.#dropped += 1;
    this.#deps.onDropped(1);
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      const open = [...this.#rows.values()].flat();
      for (let from = 0; from < open.length; from += this.#options.rowsAtOnce) {
        await this.#writeSome(open.slice(from, from + this.#options.rowsAtOnce));
        await new Promise((resolve) => setImmediate(resolve)); // Lets requests run first.
      }
      if (open.length > 0) this.#recovered();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isWriting = false;
    }
  }

  /** Counts added during the write stay for the next one. */
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
        'usage details cannot be written; they stay in memory for the next attempt',
      );
    this.#isFailing = true;
  }

  #recovered(): void {
    if (this.#isFailing) this.#deps.log.info({ dropped: this.#dropped }, 'usage details are written again');
    this.#isFailing = false;
    this.#dropped = 0;
  }
}

/** The primary key. */
export const COUNTS_KEY = ['organization_id', 'day', 'api_key_id', 'route', 'client_source'] as const;

/**
 * Rows must be distinct; they are locked in key order, so servers never deadlock. Rejects with `unavailable`; then
 * nothing was added, unless PostgreSQL's connection broke between commit and response.
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
