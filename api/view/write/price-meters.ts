import type { DuckDBValue } from '@duckdb/node-api';
import { METERS, pricesByMeter } from '../../../schemas/rates.ts';
import { ratesFrom } from '../../../storage/duckdb/json-functions.ts';
import { ANY_METER } from '../schema.ts';
import { chunksOf } from './chunks.ts';
import type { Writer } from './writer.ts';

/**
 * Writes the meters of prices.
 *
 * @param from SQL: the records `s`, with the numbers of their models `m` and providers `p`
 */
export async function writePriceMeters(
  { duckdb, view }: Writer,
  { from, values }: { readonly from: string; readonly values: readonly DuckDBValue[] },
): Promise<void> {
  const insert = view.prepare('INSERT INTO price_meters VALUES (?, ?, ?, ?, ?)');
  const result = await duckdb.connection.stream(
    `SELECT m.number, p.number, epoch_us(s.updated_at)::DOUBLE, s.input_per_million, s.output_per_million, s.rates ${from}`,
    [...values],
  );
  for await (const { columns, rowCount } of chunksOf(result)) {
    const [models = [], providers = [], updated = [], inputs = [], outputs = [], rates = []] = columns;
    const priceAt = (prices: readonly DuckDBValue[], at: number) => (prices[at] === null ? null : Number(prices[at]));
    for (let at = 0; at < rowCount; at += 1) {
      const text = rates[at] ?? null;
      const prices = pricesByMeter({
        input: priceAt(inputs, at),
        output: priceAt(outputs, at),
        rates: text === null ? null : ratesFrom(String(text)),
      });
      const add = (meter: string, price: number | null) =>
        insert.run(meter, models[at], providers[at], price, updated[at]);
      add(ANY_METER, null);
      for (const [meter, price] of prices) add(meter, price);
    }
  }
}

/** A function that deletes the meters of a price by the numbers of its model and provider. */
export function deletePriceMeters(view: Writer['view']): (numbers: readonly unknown[]) => void {
  const meters = [ANY_METER, ...METERS].map((meter) => `'${meter}'`).join(', ');
  const remove = view.prepare(`DELETE FROM price_meters WHERE meter IN (${meters}) AND model = ? AND provider = ?`);
  return (numbers) => remove.run(numbers);
}
