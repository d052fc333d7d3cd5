import type { Parameters } from '../../route.ts';

/** Reads the parameters of a request whose parameters are in order; api/data/answers/validation.test.ts has those that are not. */
export class QueryReader {
  private readonly query: Parameters;

  constructor(query: Parameters) {
    this.query = query;
  }

  text(name: string): string | undefined {
    return this.query[name];
  }

  number(name: string): number | undefined {
    const text = this.query[name];
    return text === undefined ? undefined : Number(text);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    return values.find((value) => value === this.query[name]);
  }
}
