import type { DuckDBConnection } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { DATASETS } from '../../schemas/datasets.ts';
import { JSON_FORMS, JSON_TYPES, type JsonType } from '../../schemas/json-columns.ts';
import { PROBLEM_LENGTH_MAX } from '../../schemas/json-form.ts';
import { findSuspectRate, type Rate, tokenPrice } from '../../schemas/rates.ts';

/**
 * SQL functions for columns of a JSON type, so that there is one reader of them: `canonical_<type>(text)`, NULL for an empty or wrong
 * value; `<type>_problem(text)`, NULL for a right one; `input_price(rates)` and `output_price(rates)`, by the columns that the rates
 * repeat; and `suspect_rate(rates, previous, limits)`. A constant argument would be decoded anew for each row.
 */
export async function registerJsonFunctions(connection: DuckDBConnection): Promise<void> {
  const { DuckDBScalarFunction, VARCHAR, DOUBLE } = await import('@duckdb/node-api');
  const register = (name: string, returnType: typeof VARCHAR | typeof DOUBLE, compute: Compute) => {
    const columns = Array.from({ length: compute.length }, (_, index) => index);
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        returnType,
        parameterTypes: columns.map(() => VARCHAR),
        specialHandling: true, // Of NULL: the result is NULL.
        mainFunction: (_, rows, results) => {
          const vectors = columns.map((column) => rows.getColumnVector(column));
          for (let at = 0; at < rows.rowCount; at += 1) {
            const values = vectors.map((vector) => vector.getItem(at));
            results.setItem(at, values.includes(null) ? null : (compute(...values.map(String)) ?? null));
          }
          results.flush();
        },
      }),
    );
  };
  for (const type of JSON_TYPES) {
    const read = remembering((text) => readValue(type, text));
    register(`canonical_${type}`, VARCHAR, (text) => read(text).form);
    register(`${type}_problem`, VARCHAR, (text) => read(text).problem);
  }
  const meters = DATASETS.pricing.columns.flatMap(({ meter }) => meter ?? []);
  const pricesOf = remembering((text) => {
    const rates = ratesFrom(text);
    return new Map(meters.map((meter) => [meter, tokenPrice(rates, meter)]));
  });
  for (const meter of meters) register(`${meter}_price`, DOUBLE, (rates) => pricesOf(rates).get(meter));
  register('suspect_rate', VARCHAR, (rates, previous, limits) =>
    findSuspectRate(ratesFrom(rates), ratesFrom(previous), JSON.parse(limits)),
  );
}

interface ReadValue {
  /** Undefined: empty or wrong. */
  readonly form?: string;
  readonly problem?: string;
}

function readValue(type: JsonType, text: string): ReadValue {
  const parsed = JSON_FORMS[type].parse(text);
  if ('problem' in parsed) return parsed;
  return parsed.value === null ? {} : { form: JSON.stringify(parsed.value) };
}

/** Most prices share their rates with others, and two functions read each. */
function remembering<V extends object>(read: (text: string) => V): (text: string) => V {
  const known = new LRUCache<string, V>(KNOWN_LIMITS);
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = read(text);
    known.set(text, value);
    return value;
  };
}

/** In characters: a form is about as long as its text, a problem has {@link PROBLEM_LENGTH_MAX}. */
const KNOWN_LIMITS = {
  maxSize: 10_000_000,
  maxEntrySize: 100_000,
  sizeCalculation: (_: object, text: string) => 2 * text.length + PROBLEM_LENGTH_MAX,
};

/** Its parameters are the function's. */
type Compute = (...values: readonly string[]) => string | number | undefined;

/** From text in its one form. */
export function ratesFrom(text: string): readonly Rate[] {
  return JSON.parse(text);
}
