import type { JSX } from 'preact';

/** The shapes that tell series apart beside colour and dash; drawn around 0, 0. */
const SHAPES = [
  'M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0Z',
  'M-3 -3H3V3H-3Z',
  'M0 -4.6L4.6 0L0 4.6L-4.6 0Z',
  'M0 -4.4L4.2 3.2H-4.2Z',
  'M0 4.4L4.2 -3.2H-4.2Z',
  'M-4 -1.4H-1.4V-4H1.4V-1.4H4V1.4H1.4V4H-1.4V1.4H-4Z',
] as const;

/** How many series can be told apart; further ones look like the first ones again. */
export const LOOKS = SHAPES.length;

/** The class of a series, which gives its colour and dash in the style sheet. */
export function lookOf(series: number): string {
  return `chart-look-${series % LOOKS}`;
}

/** What is drawn many times, once: the marks of so many series, and the hatching of days without data. */
export function Definitions({ id, series }: { readonly id: string; readonly series: number }): JSX.Element {
  return (
    <defs>
      <Hatching id={id} />
      {Array.from({ length: Math.min(series, LOOKS) }, (_, i) => (
        <path id={`${id}-mark-${i}`} d={SHAPES[i]} />
      ))}
    </defs>
  );
}

/** Oblique lines, to be used as `fill={hatch(id)}`. */
function Hatching({ id }: { readonly id: string }): JSX.Element {
  return (
    <pattern id={`${id}-hatch`} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <line class="chart-hatch" x1="0" x2="0" y1="0" y2="7" />
    </pattern>
  );
}

/** The fill of days without data. */
export function hatch(id: string): string {
  return `url(#${id}-hatch)`;
}

/** The shape of a series as a path's data. */
export function shapeOf(series: number): string {
  return SHAPES[series % LOOKS] ?? SHAPES[0];
}
