/** Whose records a release has, and on which terms (specification "Terms of the data"). */
import { DATASET_NAMES, type DatasetName } from './datasets.ts';
import type { Release } from './release.ts';
import type { Terms, Upstream } from './upstreams.ts';

/** By dataset, each by source; without datasets whose upstreams are not known. */
export type DatasetTerms = Readonly<Partial<Record<DatasetName, readonly Terms[]>>>;

type RowCounts = Pick<Release, 'records' | 'upstreams' | 'upstream_rows'>;

/**
 * The terms of each dataset's listed upstreams with rows. Where no row names its upstream, every listed one counts: any
 * may have given it.
 */
function termsFromRows({ records, upstreams = [], upstream_rows = {} }: RowCounts): DatasetTerms {
  const terms: Partial<Record<DatasetName, readonly Terms[]>> = {};
  for (const dataset of DATASET_NAMES) {
    const counts = upstream_rows[dataset];
    const named = upstreams.filter(({ id }) => counts === undefined || counts[id] !== undefined);
    if (records[dataset] === 0 || named.length === 0) continue;
    terms[dataset] = sortTerms(named.map(termsFrom));
  }
  return terms;
}

export function termsFrom({ id: source, license, redistribution }: Upstream): Terms {
  return { source, license, redistribution };
}

export function sortTerms(terms: readonly Terms[]): readonly Terms[] {
  return terms.toSorted((a, b) => (a.source < b.source ? -1 : 1));
}

/** As its manifest says; of a release from before manifests had terms, by its rows. */
export function termsOf(release: RowCounts & Pick<Release, 'manifest'>): DatasetTerms {
  const said = release.manifest.datasets.flatMap(({ name, terms }) =>
    terms === undefined ? [] : [[name, terms] as const],
  );
  return said.length > 0 ? Object.fromEntries(said) : termsFromRows(release);
}

/** An upstream whose records must not be passed on without permission. */
export interface RestrictedSource {
  readonly source: string;
  readonly license: string | null;
  /** Those that have records of it. */
  readonly datasets: readonly DatasetName[];
}

/** By source. */
export function restrictedSources(terms: DatasetTerms): readonly RestrictedSource[] {
  const restricted = DATASET_NAMES.flatMap((dataset) =>
    (terms[dataset] ?? []).filter(({ redistribution }) => !redistribution).map((one) => ({ ...one, dataset })),
  );
  return [...Map.groupBy(restricted, ({ source }) => source)]
    .map(([source, of]) => ({ source, license: of[0]?.license ?? null, datasets: of.map(({ dataset }) => dataset) }))
    .toSorted((a, b) => (a.source < b.source ? -1 : 1));
}
