/** What of a world is worth asking for: the models, days and values at which an answer is easily wrong. */

import { addDays, type Day } from '../../../runtime/day.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import type { ApiState } from '../expected.ts';
import { firstNight, lastNight, type Series, type WireRecord, type World } from '../world.ts';

export interface Interests {
  /** Groups of model ids, none of them empty. */
  readonly modelGroups: readonly (readonly string[])[];
  readonly categories: readonly string[];
  readonly benchmarks: readonly string[];
  readonly providers: readonly string[];
  /** Days with a night, and days without one between the first and the last. */
  readonly nights: readonly Day[];
  readonly gaps: readonly Day[];
  /** Just outside what was captured, and around today. */
  readonly edges: readonly Day[];
}

const UNKNOWN = ['unknown', 'Ünbekannt/x:1@2', 'a'.repeat(200)];
const SPECIAL = /[^A-Za-z0-9._-]/;

export function findInterests({ world, today }: ApiState): Interests {
  const { current, series } = world;
  const nights = world.nights.map(({ day }) => day);
  const [first, last] = [firstNight(world).day, lastNight(world).day];
  return {
    modelGroups: modelGroups(world).filter((group) => group.length > 0),
    categories: distinct([...series.rankings.values()].map(({ key }) => key[1])),
    benchmarks: distinct([...series.scores.values()].map(({ key }) => key[1])),
    providers: distinct([...series.pricing.values()].map(({ key }) => key[1])),
    nights,
    gaps: daysBetween(first, last).filter((day) => !nights.includes(day)),
    edges: [addDays(first, -1), first, last, addDays(last, 1), addDays(today, -1), today, addDays(today, 1)].concat(
      current.rankings.length > 0 ? [firstDayOf(world, 'rankings')] : [],
    ),
  };
}

function modelGroups(world: World): string[][] {
  const models = [...world.series.models.values()];
  const ids = models.map(modelOf);
  const currentIds = new Set(world.current.models.map(({ id }) => String(id)));
  return [
    ids,
    ids.filter((id) => currentIds.has(id)),
    ids.filter((id) => !currentIds.has(id)),
    ids.filter((id) => SPECIAL.test(id)),
    sharing(models, (series) => modelOf(series).toLowerCase()),
    sharing(models, ({ values }) => String(values.at(-1)?.['name'])),
    ...(['models', 'scores', 'rankings', 'pricing'] as const).map((dataset) => returned(world, dataset)),
    ...(['scores', 'rankings', 'pricing'] as const).map((dataset) =>
      distinct([...world.series[dataset].values()].map(modelOf)),
    ),
    busiest(world),
    UNKNOWN,
    currentIds.size > 0 ? [...currentIds].slice(0, 50).map(swapCase) : [],
  ];
}

/** Models with a record that vanished, or was set aside, and came back. */
function returned(world: World, dataset: DatasetName): string[] {
  const captured = world.nights.filter((night) => night.captured.includes(dataset)).map(({ day }) => day);
  const at = new Map(captured.map((day, index) => [day, index]));
  const withHoles = [...world.series[dataset].values()].filter(({ days }) => {
    const span = (at.get(days.at(-1) ?? '') ?? 0) - (at.get(days[0] ?? '') ?? 0) + 1;
    return span > days.length;
  });
  return distinct(withHoles.map(modelOf));
}

/** Models that share what they are known by with another. */
function sharing(models: readonly Series[], name: (series: Series) => string): string[] {
  const groups = new Map<string, string[]>();
  for (const series of models) groups.set(name(series), [...(groups.get(name(series)) ?? []), modelOf(series)]);
  return [...groups.values()].filter((group) => group.length > 1).flat();
}

/** Models with the most series of points. */
function busiest(world: World): string[] {
  const counts = new Map<string, number>();
  for (const dataset of ['scores', 'rankings', 'pricing'] as const) {
    for (const series of world.series[dataset].values()) {
      counts.set(modelOf(series), (counts.get(modelOf(series)) ?? 0) + 1);
    }
  }
  const byCount = [...counts].sort(([, a], [, b]) => b - a);
  return byCount.slice(0, 30).map(([id]) => id);
}

function modelOf({ key }: Series): string {
  return key[0] ?? '';
}

function swapCase(id: string): string {
  return id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
}

function firstDayOf(world: World, dataset: DatasetName): Day {
  return world.nights.find(({ captured }) => captured.includes(dataset))?.day ?? firstNight(world).day;
}

function daysBetween(first: Day, last: Day): Day[] {
  const days: Day[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** Every text or number that a column of these records holds, as text. */
export function valuesOf(records: readonly WireRecord[], column: string): string[] {
  const values = records.map((record) => record[column]);
  return distinct(values.flat().filter((value) => typeof value === 'string' || typeof value === 'number'));
}

function distinct(values: readonly (string | number | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined).map(String))];
}
