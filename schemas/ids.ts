import { ID_LENGTH_MAX } from './datasets.ts';

/** What is wrong with an id, or another part of a key (specification "Ids"); undefined where it is one. */
export function findIdProblem(id: string): string | undefined {
  if (id.trim() === '') return 'is empty';
  if ([...id].length > ID_LENGTH_MAX) return `is longer than ${ID_LENGTH_MAX} characters`;
  if ([...id].some((character) => character < ' ' || character === '\x7f')) return 'has control characters';
  return id.trim() === id ? undefined : 'has white space around it';
}
