import { DATASETS, type Dataset } from './datasets.ts';

/**
 * The table from which pricing is reconstructed for the days before the first capture: one row per stretch of days with one
 * price (SPEC "History"). The same columns and rules as captured pricing, and the first day on which the price no longer
 * holds. Its rows need not have unique keys.
 */
export const PRICING_TABLE: Dataset = {
  ...DATASETS.pricing,
  grain: 'model, provider and stretch of days with one price',
  entityType: null,
  columns: [
    ...DATASETS.pricing.columns.filter(({ name }) => name !== 'updated_at'),
    {
      name: 'effective_to',
      type: 'date',
      nullable: true,
      published: false,
      description: 'First day on which this price no longer holds; null where the end is unknown',
    },
  ],
};
