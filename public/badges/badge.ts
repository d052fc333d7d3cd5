import { makeBadge } from 'badge-maker';

/** What a badge says: a label, and behind it a message on a colour. */
export interface Badge {
  readonly label: string;
  readonly message: string;
  readonly color: 'blue' | 'green' | 'lightgrey' | 'red';
  /** Whether it tells that there is nothing to tell. */
  readonly isError?: boolean;
}

export const SVG_TYPE = 'image/svg+xml; charset=utf-8';

/** The picture of a badge. */
export function svgOf({ label, message, color }: Badge): string {
  return makeBadge({ label, message, color });
}

/** A badge as shields.io's endpoint badge reads it (https://shields.io/badges/endpoint-badge). */
export function shieldsJsonOf({ label, message, color, isError = false }: Badge): string {
  return JSON.stringify({
    schemaVersion: 1,
    label,
    message,
    color,
    ...(isError ? { isError } : {}),
    cacheSeconds: 3600,
  });
}
