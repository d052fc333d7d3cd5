import { isDay } from '../../schemas/day.ts';
import type { Problem } from './expected.ts';
import type { Parameters } from './request.ts';

/** Reads the parameters of a query one by one and gathers all problems on the way (specification "Validation errors"). */
export class QueryReader {
  readonly problems: Problem[] = [];
  private readonly query: Parameters;

  constructor(query: Parameters) {
    this.query = query;
  }

  text(name: string, lengths: { readonly min?: number; readonly max?: number } = {}): string | undefined {
    const text = this.query[name];
    if (text === undefined) return undefined;
    const length = [...text].length;
    if (lengths.min !== undefined && length < lengths.min) return this.problem(name, 'string_too_short');
    if (lengths.max !== undefined && length > lengths.max) return this.problem(name, 'string_too_long');
    return text;
  }

  requiredText(name: string): string {
    return this.query[name] ?? this.problem(name, 'missing') ?? '';
  }

  integer(name: string, bounds: { readonly min: number; readonly max?: number }): number | undefined {
    const text = this.query[name];
    if (text === undefined) return undefined;
    if (!/^-?\d+$/.test(text)) return this.problem(name, 'int_parsing');
    return this.within(name, Number(text), bounds);
  }

  number(name: string, bounds: { readonly min?: number } = {}): number | undefined {
    const text = this.query[name];
    if (text === undefined) return undefined;
    if (text.trim() === '' || !Number.isFinite(Number(text))) return this.problem(name, 'float_parsing');
    return this.within(name, Number(text), bounds);
  }

  day(name: string): string | undefined {
    const text = this.query[name];
    if (text === undefined || isDay(text)) return text;
    return this.problem(name, 'date_from_datetime_parsing');
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.query[name];
    if (text === undefined) return undefined;
    return values.find((value) => value === text) ?? this.problem(name, 'enum');
  }

  requiredOneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    return this.query[name] === undefined ? this.problem(name, 'missing') : this.oneOf(name, values);
  }

  /** A list's cursor is made by the server alone, so one that stands in a request of ours is wrong. */
  listCursor(): void {
    if (this.query['cursor'] !== undefined) this.problem('cursor');
  }

  problem(name: string, type?: string): undefined {
    this.problems.push({ loc: ['query', name], type });
    return undefined;
  }

  private within(name: string, number: number, bounds: { min?: number; max?: number }): number | undefined {
    if (bounds.min !== undefined && number < bounds.min) return this.problem(name, 'greater_than_equal');
    if (bounds.max !== undefined && number > bounds.max) return this.problem(name, 'less_than_equal');
    return number;
  }
}
