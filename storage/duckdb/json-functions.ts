import type { DuckDBConnection } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { isJsonType, JSON_FORMS, type JsonType } from '../../schemas/json-columns.ts';
import { findSuspectRate, METERS, type Meter, type Rate, tokenPrice } from '../../schemas/rates.ts';

/**
 * SQL functions for columns of a JSON type, so that there is one reader of them: `canonical_json(type, text)`, NULL for an empty or
 * wrong value; `json_problem(type, text)`, NULL for a right one; `token_price(rates, meter)`; and `suspect_rate(rates, previous, limits)`.
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
  const known = new LRUCache<string, ReadValue>(KNOWN_LIMITS);
  const read = (type: string, text: string): ReadValue => {
    const key = type + text;
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = readValue(jsonType(type), text);
    known.set(key, value);
    return value;
  };
  register('canonical_json', VARCHAR, (type, text) => read(type, text).form);
  register('json_problem', VARCHAR, (type, text) => read(type, text).problem);
  register('token_price', DOUBLE, (rates, meter) => tokenPrice(ratesFrom(rates), meterFrom(meter)));
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

/** Both functions read a value, and most prices share their rates with others. Sizes are in characters. */
const KNOWN_LIMITS = {
  maxSize: 32_000_000,
  maxEntrySize: 100_000,
  sizeCalculation: ({ form = '', problem = '' }: ReadValue, key: string) => form.length + problem.length + key.length,
};

/** Its parameters are the function's. */
type Compute = (...values: readonly string[]) => string | number | undefined;

/** From text in its one form. */
export function ratesFrom(text: string): readonly Rate[] {
  return JSON.parse(text);
}

function jsonType(type: string): JsonType {
  if (!isJsonType(type)) throw new TypeError(`${type} is no JSON type`);
  return type;
}

function meterFrom(text: string): Meter {
  const meter = METERS.find((known) => known === text);
  if (meter === undefined) throw new TypeError(`${text} is no meter`);
  return meter;
}
