/**
 * A chart stretches in one direction: places from left to right are percent of its width, places from top to bottom and the size
 * of text are pixels (decision 0066). So one drawing serves every width, and text is as large on a phone as on a wide screen.
 * Labels of the value axis stand left of 0 %, in a margin that the style sheet keeps free.
 */
export const LAYOUT = {
  /** Baseline of the line above the plot: the unit, or what is pointed at. */
  unitY: 11,
  /** Top of the plot with its strip for notes. */
  top: 22,
  /** The strip for notes, which no line crosses. */
  notes: 18,
  /** Height of what the value axis spans. */
  height: 190,
  /** Room for the two rows of the day axis. */
  axis: 40,
} as const;

/** Where the value axis begins at the top, and where it ends. */
export const PLOT_TOP = LAYOUT.top + LAYOUT.notes;
export const PLOT_BOTTOM = PLOT_TOP + LAYOUT.height;
/** Height of the whole drawing. */
export const CHART_HEIGHT = PLOT_BOTTOM + LAYOUT.axis;

/** A number for an attribute: at most two decimals. */
export function px(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A place from left to right for an attribute. */
export function percent(value: number): string {
  return `${Math.round(value * 1000) / 1000}%`;
}
