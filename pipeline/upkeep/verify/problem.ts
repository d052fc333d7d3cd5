/** Something about a store that is not as it has to be. */
export interface Problem {
  /** The snapshot's day; the key of the object where it belongs to none. */
  readonly snapshot: string;
  readonly message: string;
}
