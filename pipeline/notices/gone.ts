import type { Gone } from './notice.ts';

/** What a preview of a night says that would be gone with it. */
export interface PreviewOfGone {
  readonly datasets: Readonly<
    Record<string, { readonly gone: number; readonly examples: { readonly gone: readonly string[] } }>
  >;
}

/** What would be gone with a night that is held; nothing without a preview. */
export function goneFrom(preview: PreviewOfGone | undefined): readonly Gone[] {
  return Object.entries(preview?.datasets ?? {}).flatMap(([dataset, { gone, examples }]) =>
    gone === 0 ? [] : [{ dataset, records: gone, examples: [...examples.gone] }],
  );
}
