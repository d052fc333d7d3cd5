import { Gauge, type Registry } from 'prom-client';
import type { Release } from '../schemas/release.ts';

export type ReleaseFacts = Pick<Release, 'day' | 'published_at' | 'quarantined' | 'suspects_pending' | 'fetched'>;

/** Metrics of the newest release, for a server or a scheduler (specification "Health and metrics"). */
export class ReleaseMetrics {
  readonly #day: Gauge;
  readonly #publishedAt: Gauge;
  readonly #quarantined: Gauge;
  readonly #suspects: Gauge;
  readonly #failedSince: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
    this.#day = gauge('modelstats_release_day_timestamp_seconds', 'Midnight UTC of the newest published day');
    this.#publishedAt = gauge('modelstats_release_published_timestamp_seconds', 'When the newest day was published');
    this.#quarantined = gauge('modelstats_release_quarantined', 'Rows that the newest night set aside as bad');
    this.#suspects = gauge('modelstats_release_suspects_pending', 'Suspect prices that wait for an operator');
    this.#failedSince = new Gauge({
      name: 'modelstats_upstream_failed_since_timestamp_seconds',
      help: 'Midnight UTC of the first of the days in a row without a new file of an upstream, in the newest release',
      labelNames: ['upstream', 'file'],
      registers,
    });
  }

  onRelease({ day, published_at, quarantined, suspects_pending, fetched = [] }: ReleaseFacts): void {
    this.#day.set(midnightOf(day));
    this.#publishedAt.set(Date.parse(published_at) / 1000);
    this.#quarantined.set(Object.values(quarantined).reduce((sum, rows) => sum + rows, 0));
    this.#suspects.set(suspects_pending);
    this.#failedSince.reset();
    for (const { upstream, file, failed_since } of fetched)
      if (failed_since !== null) this.#failedSince.set({ upstream, file }, midnightOf(failed_since));
  }
}

function midnightOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}
