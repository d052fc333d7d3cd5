import type { JSX } from 'preact';
import { hatch, lookOf, shapeOf } from './marks.tsx';

/** How a thing looks in the drawing: a series by its number, or one of the looks that all charts share. */
export type Look = number | 'used' | 'unfinished' | 'refused' | 'limit' | 'gap' | 'before';

export interface LegendItem {
  readonly look: Look;
  readonly label: string;
}

/** What the looks of the drawing mean. */
export function Legend({
  id,
  items,
}: {
  readonly id: string;
  readonly items: readonly LegendItem[];
}): JSX.Element | null {
  if (items.length === 0) return null;
  return (
    <ul class="chart-legend">
      {items.map(({ look, label }) => (
        <li>
          <svg class="chart-swatch" width="26" height="12" aria-hidden="true">
            <Swatch id={id} look={look} />
          </svg>
          <span>{label}</span>
        </li>
      ))}
    </ul>
  );
}

function Swatch({ id, look }: { readonly id: string; readonly look: Look }): JSX.Element {
  if (typeof look === 'number')
    return (
      <g class={lookOf(look)}>
        <line class="chart-line" x1="0" x2="26" y1="6" y2="6" />
        <path class="chart-mark" d={shapeOf(look)} transform="translate(13 6)" />
      </g>
    );
  if (look === 'limit') return <line class="chart-limit" x1="0" x2="26" y1="6" y2="6" />;
  if (look === 'gap') return <rect class="chart-gap" width="26" height="12" fill={hatch(id)} />;
  return <rect class={`chart-${look}`} x="6" y="0.5" width="14" height="11" />;
}
