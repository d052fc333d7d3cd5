import type { AddedField, DatasetName, RecordOf } from '../../../schemas/datasets.ts';
import type { Rate } from '../../../schemas/rates.ts';

/** A record of any version: it may lack what later ones added. */
export type RecordOfAnyVersion<Name extends DatasetName> = Omit<RecordOf<Name>, AddedField<Name>> &
  Partial<Pick<RecordOf<Name>, AddedField<Name>>>;

/** A price with its model and its rates. */
export interface Offer {
  readonly model: RecordOfAnyVersion<'models'>;
  readonly price: RecordOfAnyVersion<'pricing'>;
  readonly rates: readonly Rate[];
}

/** Other names of models: by id, then by the upstream that uses them. */
export type Names = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Formats that have no field for a currency mean dollars. */
export function isInDollars({ price }: Offer): boolean {
  return price.currency === 'USD';
}

/** More digits than a price has, and without the last two of a division, which hold binary noise. */
const DIGITS = 15;

/** Of one unit. */
export function unitPrice({ price, per }: Rate): number {
  return Number((price / per).toPrecision(DIGITS));
}
