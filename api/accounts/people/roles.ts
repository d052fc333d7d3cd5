import { AppError } from '../../../runtime/errors.ts';
import { ROLES, type Role } from './people.ts';

/** A role as the database keeps it. */
export function roleFromWord(word: string): Role {
  const role = ROLES.find((known) => known === word);
  if (role === undefined) throw new AppError('internal_error', `'${word}' is no role`);
  return role;
}
