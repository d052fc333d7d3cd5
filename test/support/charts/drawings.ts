import fc from 'fast-check';
import type { JSX } from 'preact';
import { render } from 'preact-render-to-string';
import type { Interval } from '../../../api/charts/intervals.ts';
import { addDays, type Day } from '../../../runtime/day.ts';

/** Days on which the charts of tests may begin; leap years and centuries are among them. */
export const someDay: fc.Arbitrary<Day> = fc
  .integer({ min: -30_000, max: 60_000 })
  .map((days) => addDays('2000-01-01', days));

/** What a number may be, at worst: huge, tiny, negative, all alike, none. */
export const someValue: fc.Arbitrary<number> = fc.oneof(
  fc.double(),
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom(0, 1, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 0.1 + 0.2, 0.3, 6_670_000, 7.5e-7),
);

/** Stretches of days with gaps between some of them, in order, from a day on. */
export function someIntervals(from: Day): fc.Arbitrary<readonly Interval[]> {
  const part = fc.record({
    gap: fc.oneof(fc.constant(0), fc.nat(40)),
    length: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 })),
    value: fc.option(someValue, { freq: 5 }),
  });
  return fc.array(part, { maxLength: 14 }).map((parts) => {
    let next = from;
    return parts.map(({ gap, length, value }) => {
      const first = addDays(next, gap);
      next = addDays(first, length);
      return { from: first, to: addDays(next, -1), value };
    });
  });
}

export function drawn(chart: JSX.Element): string {
  return render(chart);
}

/** The drawing's attributes that hold numbers which are none, were forgotten, or are objects. */
export function findBadAttributes(html: string): readonly string[] {
  const attributes = [...html.matchAll(/\s([\w-]+)="([^"]*)"/g)];
  return attributes
    .filter(([, , value]) => /NaN|Infinity|undefined|null|object/.test(value ?? ''))
    .map(([attribute]) => attribute.trim());
}

export function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** The opening tags of a page's elements with all their attributes; what people wrote must not be among them. */
export function elementsOf(html: string): readonly string[] {
  return html.match(/<[a-z][^>]*>/g) ?? [];
}

/** The text of each row of a chart's table, its cells joined by ` | `. */
export function tableRows(html: string): readonly string[] {
  const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(html) ?? [];
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell).join(' | '),
  );
}
