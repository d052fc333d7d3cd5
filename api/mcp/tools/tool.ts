import type { RouteAccess } from '../../data/access/access-control.ts';
import type { JsonSchema } from '../../data/openapi/schema-collector.ts';
import type { Body, Exchange } from '../exchange.ts';
import type { Found } from '../text/telling.ts';

/** A question that agents can ask. Every tool only reads. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** When to use it, what it costs and what comes next, for a model. */
  readonly description: string;
  /** The route whose rules it keeps: where that isn't there, neither is the tool. */
  readonly access: RouteAccess;
  readonly inputSchema: ObjectSchema;
  /** Of what it finds, or of the envelope where it is refused. */
  readonly outputSchema: ObjectSchema;
  /** Rejects with what the routes behind it refuse. */
  readonly call: (args: Body, exchange: Exchange) => Promise<Found>;
}

export type ObjectSchema = JsonSchema & { type: 'object' };
