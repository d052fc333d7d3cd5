import { z } from 'zod';
import { DATASET_NAMES } from '../../schemas/datasets.ts';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.csv$/;

/** The name of a source's table of names: a file beside its `source.json` or in the day's folder (specification "Names of models"). */
export const AliasFileSchema = z
  .string()
  .regex(NAME, 'must be the name of a CSV file, such as aliases.csv')
  .refine((name) => !DATASET_NAMES.some((dataset) => name === `${dataset}.csv`), 'is the name of a dataset');
