import pc from 'picocolors';
import { colourSequence } from './terminal-text.ts';

/** Colours of what is printed, where the terminal has them. */
export const paint = paintFor(pc.isColorSupported);

/** {@link paint} for a terminal that has colours, or for whatever else. */
export function paintFor(hasColours: boolean) {
  const painter = (begin: number, end: number) => (text: string | number) =>
    hasColours ? `${colourSequence(begin)}${text}${colourSequence(end)}` : String(text);
  return {
    bold: painter(1, 22),
    dim: painter(2, 22),
    red: painter(31, 39),
    green: painter(32, 39),
    yellow: painter(33, 39),
  } as const;
}
