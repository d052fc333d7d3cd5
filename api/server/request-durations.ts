import type { Histogram, Registry } from 'prom-client';

const NAME = 'modelstats_request_duration_seconds';
const HELP = 'Time to answer, by route and status';
/** Upper bounds, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const;

/** Of one route and status. */
interface Tally {
  readonly route: string;
  readonly status: number;
  /** How many took no longer than the bound at the same place, and longer than the one before. */
  readonly counts: Float64Array;
  count: number;
  sumSeconds: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * A histogram of how long answers took. prom-client's own checks and sorts a set of labels for each of them, which takes longer
 * than finding a kept answer; here the labels are put together when somebody reads.
 */
export class RequestDurations {
  readonly #tallies = new Map<string, Map<number, Tally>>();

  constructor(registry: Registry) {
    const metric = { name: NAME, help: HELP, type: 'histogram', get: async () => this.#read() };
    // What a registry asks of a metric; its types know prom-client's own classes alone.
    registry.registerMetric(metric as unknown as Histogram);
  }

  observe(route: string, status: number, seconds: number): void {
    const tally = this.#tallies.get(route)?.get(status) ?? this.#add(route, status);
    const place = BOUNDS.findIndex((bound) => seconds <= bound);
    if (place !== -1) tally.counts[place] = (tally.counts[place] ?? 0) + 1;
    tally.count += 1;
    tally.sumSeconds += seconds;
  }

  #add(route: string, status: number): Tally {
    const tally = { route, status, counts: new Float64Array(BOUNDS.length), count: 0, sumSeconds: 0 };
    const ofRoute = this.#tallies.get(route) ?? new Map<number, Tally>();
    ofRoute.set(status, tally);
    this.#tallies.set(route, ofRoute);
    return tally;
  }

  #read() {
    const all = [...this.#tallies.values()].flatMap((ofRoute) => [...ofRoute.values()]);
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values: all.flatMap(samplesOf) };
  }
}

function samplesOf({ route, status, counts, count, sumSeconds }: Tally): readonly Sample[] {
  const labels = { route, status };
  let below = 0;
  const buckets = BOUNDS.map((le, place) => {
    below += counts[place] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${NAME}_sum`, labels, value: sumSeconds },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}
