import type { Filters } from '../../../api/webhooks/endpoints/filters.ts';

/** The filters that name what an event has in its `data`, with the field of it (specification "Filters"). */
export const FILTERED_FIELDS = [
  ['models', 'model_id'],
  ['benchmarks', 'benchmark_id'],
  ['categories', 'category_id'],
  ['providers', 'provider'],
] as const;

/** Whether each of {@link FILTERED_FIELDS} that is set and concerns an event with this `data` names what it has. */
export function passesNames(filters: Filters, data: Readonly<Record<string, unknown>>): boolean {
  return FILTERED_FIELDS.every(([filter, field]) => {
    const names = filters[filter];
    return names === undefined || !(field in data) || names.includes(String(data[field]));
  });
}
