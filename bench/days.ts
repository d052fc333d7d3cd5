/** The days that the generator writes; the second follows from the first. */
export const FIRST_DAY = '2026-01-01';
export const SECOND_DAY = '2026-01-02';
