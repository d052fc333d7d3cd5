/** The anchors of a page's headings, as GitHub makes them: one that comes again gets a number. */
export class Anchors {
  readonly #seen = new Map<string, number>();

  /** @param heading without marks */
  of(heading: string): string {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = this.#seen.get(anchor) ?? 0;
    this.#seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }
}
