import { Counter, Gauge } from 'prom-client';
import { type ReleaseFacts, ReleaseMetrics } from '../../storage/release-metrics.ts';
import { Metrics } from '../server/metrics.ts';
import type { ViewEvent } from '../view/view-events.ts';
import type { ProblemOfPart } from './health.ts';

/** Metrics of the API beside those of every server (specification "Health and metrics"). */
export class ApiMetrics extends Metrics {
  /** Counts since the last scrape. */
  readonly #cacheResults = new Map<string, number>();
  readonly #builds = new Counter({
    name: 'modelstats_view_builds_total',
    help: 'Attempts to follow the catalog, by result: swapped, failed, damaged, or recovered after failures',
    labelNames: ['result'],
    registers: [this.registry],
  });
  readonly #buildSeconds = new Gauge({
    name: 'modelstats_view_build_seconds',
    help: 'How long the last view took to build',
    registers: [this.registry],
  });
  readonly #releaseDay = new Gauge({
    name: 'modelstats_view_release_day_timestamp_seconds',
    help: 'Midnight UTC of the day that is served',
    registers: [this.registry],
  });
  readonly #release = new ReleaseMetrics(this.registry);
  readonly #countsDropped = new Counter({
    name: 'modelstats_usage_details_dropped_total',
    help: 'Requests missing from usage by key and route because it could not be written',
    registers: [this.registry],
  });

  constructor() {
    super();
    const results = this.#cacheResults;
    new Counter({
      name: 'modelstats_cache_answers_total',
      help: 'Data responses, by X-Cache',
      labelNames: ['result'],
      registers: [this.registry],
      collect() {
        for (const [result, count] of results) this.inc({ result }, count);
        results.clear();
      },
    });
  }

  /** Exports the problems of `/health/ready` at each scrape. */
  watchProblems(find: () => readonly Pick<ProblemOfPart, 'part' | 'code'>[]): void {
    new Gauge({
      name: 'modelstats_problem',
      help: 'Parts with a problem, as in /health/ready: 1 while the problem lasts',
      labelNames: ['part', 'code'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { part, code } of find()) this.set({ part, code }, 1);
      },
    });
  }

  onViewEvent(event: ViewEvent): void {
    this.#builds.inc({ result: event.type });
    if (event.type !== 'swapped') return;
    this.#buildSeconds.set(event.durationMs / 1000);
    this.#releaseDay.set(Date.parse(`${event.day}T00:00:00Z`) / 1000);
  }

  onRelease(release: ReleaseFacts): void {
    this.#release.onRelease(release);
  }

  onCountsDropped(requests: number): void {
    this.#countsDropped.inc(requests);
  }

  onCache(result: string): void {
    this.#cacheResults.set(result, (this.#cacheResults.get(result) ?? 0) + 1);
  }
}
