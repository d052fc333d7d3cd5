import { z } from 'zod';
import type { Release } from '../../schemas/release.ts';
import { type ReleasedFile, type Upstream, UpstreamSchema } from '../../schemas/upstreams.ts';

const Instant = z.iso.datetime();

/** An upstream as `GET /v1/sources` lists it: who it is, on which terms, and how its files came (specification "Sources of the data"). */
export const SourceSchema = z
  .object({
    id: UpstreamSchema.shape.id.describe('Under which records name it as their source'),
    name: z.string().describe('For people'),
    url: z.string().describe('Its home page'),
    license: z.string().nullable().describe('Licence of the data, by its usual short name'),
    terms_url: z.string().nullable().describe('Where its terms stand'),
    attribution: z.string().nullable().describe('The line that whoever shows the data has to show with it'),
    redistribution: z.boolean().describe('Whether its terms allow to pass the data on'),
    terms_checked: z.iso.date().nullable().describe('Day on which somebody last read the terms'),
    fetched_at: Instant.nullable().describe('When its newest file came'),
    checked_at: Instant.nullable().describe('When it was last asked for a file'),
    failed_since: z.iso
      .date()
      .nullable()
      .describe('First of the days in a row on which a file of it could not be had; null while all is well'),
    files: z.int().min(0).describe('Files that are fetched from it'),
  })
  .meta({ id: 'Source' });
export type Source = z.infer<typeof SourceSchema>;

/** The upstreams that a release names, by id. */
export function sourcesFrom({ upstreams = [], fetched = [] }: Pick<Release, 'upstreams' | 'fetched'>): Source[] {
  return upstreams
    .map((upstream) =>
      sourceFrom(
        upstream,
        fetched.filter((file) => file.upstream === upstream.id),
      ),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function sourceFrom({ checked: terms_checked, ...upstream }: Upstream, files: readonly ReleasedFile[]): Source {
  const { id, name, url, license, terms_url, attribution, redistribution } = upstream;
  return {
    id,
    name,
    url,
    license,
    terms_url,
    attribution,
    redistribution,
    terms_checked,
    fetched_at: newest(files.map(({ fetched_at }) => fetched_at)),
    checked_at: newest(files.map(({ checked_at }) => checked_at)),
    failed_since: inOrder(files.map(({ failed_since }) => failed_since))[0] ?? null,
    files: files.length,
  };
}

function newest(instants: readonly (string | null)[]): string | null {
  return inOrder(instants).at(-1) ?? null;
}

/** Days or instants of one form, the oldest first, without those that there are not. */
function inOrder(times: readonly (string | null)[]): readonly string[] {
  return times.filter((time) => time !== null).sort();
}
