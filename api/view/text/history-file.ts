import { type IntervalsWanted, intervalsIn, type TextInterval } from './history-line.ts';
import { findStretches } from './history-marks.ts';
import type { TextFile } from './text-file.ts';
import type { HistoryMeta } from './text-meta.ts';

/** The text of a kind of history, by what it is asked for. */
export class HistoryFile {
  readonly #file: TextFile;
  readonly #meta: HistoryMeta;

  constructor(file: TextFile, meta: HistoryMeta) {
    this.#file = file;
    this.#meta = meta;
  }

  /**
   * What a function makes of the wanted intervals, by series and day; it must not keep them. Rejects with `corrupt` where the file
   * isn't what was written.
   */
  readIntervals<T>(wanted: IntervalsWanted, make: (intervals: readonly TextInterval[]) => T): Promise<T> {
    const stretches = findStretches(this.#meta, wanted);
    return this.#file.readSlices(stretches, (texts) => make(texts.flatMap((text) => intervalsIn(text, wanted))));
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
