/**
 * Endpoints and deliveries as the specification's two tables tell them (specification "Webhook endpoints", "Retries"), in a model
 * that knows no database, against the real queue: whatever happens in whatever order, both say the same.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { START, WebhookDatabase } from '../../../test/support/webhooks/webhook-database.ts';
import { ENDPOINT_STATES, FAILURES_MAX } from '../endpoints/endpoint.ts';
import { dropWaiting, moveEndpoint, queuePing } from '../endpoints/transitions.ts';
import { type Attempt, type ClaimedDelivery, DELIVERY_STATES, type DeliveryKind } from '../queue/delivery.ts';
import { DeliveryQueue } from '../queue/delivery-queue.ts';
import { settlementOf } from './attempt-delivery.ts';

const MINUTES = [1, 5, 30, 120, 720];
const MINUTE_MS = 60_000;
const CLAIM_MS = 60_000;
/** Sequences of commands, more in `make test-long`; a round trip to PostgreSQL takes ten times as long. */
const RUNS = { sqlite: Number(process.env['PROPERTY_RUNS'] ?? 50), postgres: 40 };

interface ModelDelivery {
  readonly kind: DeliveryKind;
  /** In which registration of the endpoint it was queued. */
  readonly registration: number;
  state: string;
  attempts: number;
  dueAtMs: number;
  /** The claim that holds it, while one does. */
  claim: number | undefined;
}

interface Claim {
  readonly number: number;
  readonly id: string;
  readonly real: ClaimedDelivery;
}

/** The rules, and the claims under way. */
class Model {
  readonly deliveries = new Map<string, ModelDelivery>();
  readonly claims: Claim[] = [];
  state = 'registered';
  failures = 0;
  registration = 1;
  nowMs = START.getTime();

  add(id: string, kind: DeliveryKind, attempts = 0): void {
    const { registration, nowMs: dueAtMs } = this;
    this.deliveries.set(id, { kind, registration, state: 'waiting', attempts, dueAtMs, claim: undefined });
  }

  move(state: string): void {
    this.state = state;
    this.failures = 0;
    if (state === 'registered') this.registration += 1;
  }

  drop(isToGo: (delivery: ModelDelivery) => boolean = () => true): void {
    for (const delivery of this.deliveries.values())
      if (delivery.state === 'waiting' && isToGo(delivery)) delivery.state = 'dropped';
  }

  /** What a dispatcher does before it claims: what is left from before is dropped. */
  cleanUp(): void {
    if (this.state === 'registered') this.drop(({ kind }) => kind !== 'ping');
    else if (this.state !== 'active') this.drop();
  }

  /** Ids that may be claimed now; any of those that are due longest. */
  due(): readonly string[] {
    const due = [...this.deliveries].filter(
      ([, delivery]) =>
        delivery.state === 'waiting' &&
        delivery.dueAtMs <= this.nowMs &&
        (this.state === 'active' || (this.state === 'registered' && delivery.kind === 'ping')),
    );
    const first = Math.min(...due.map(([, { dueAtMs }]) => dueAtMs));
    return due.filter(([, { dueAtMs }]) => dueAtMs === first).map(([id]) => id);
  }

  /** An attempt ends, under a claim that may not hold any more. */
  finish({ number, id, real }: Claim, isSuccessful: boolean): void {
    const delivery = this.deliveries.get(id);
    if (delivery?.state !== 'waiting' || delivery.claim !== number) return;
    delivery.claim = undefined;
    delivery.attempts = real.attempt;
    const minutes = delivery.kind === 'ping' ? undefined : MINUTES[real.attempt - 1];
    if (isSuccessful) delivery.state = 'delivered';
    else if (minutes === undefined) delivery.state = 'failed';
    else delivery.dueAtMs = this.nowMs + minutes * MINUTE_MS;
    this.#count(delivery);
  }

  #count({ kind, state, registration }: ModelDelivery): void {
    if (this.state === 'registered' && kind === 'ping' && state === 'delivered' && registration === this.registration)
      this.move('active');
    else this.#countFailure(kind, state);
  }

  #countFailure(kind: DeliveryKind, state: string): void {
    if (this.state !== 'active' || kind !== 'event' || state === 'waiting') return;
    this.failures = state === 'delivered' ? 0 : this.failures + 1;
    if (this.failures === FAILURES_MAX) this.move('revoked');
  }
}

type Command = typeof COMMAND extends fc.Arbitrary<infer C> ? C : never;

const COMMAND = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('event' as const), attempts: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replay' as const), attempts: fc.nat(5) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('ping' as const, 'ping' as const, 'sweep' as const) }) },
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('begin' as const) }) },
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constant('finish' as const), isSuccessful: fc.boolean(), which: fc.nat(9) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.constantFrom(0.5, ...MINUTES) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fail' as const), times: fc.integer({ min: 1, max: 20 }) }) },
  // Out of `active` or `registered`, or back; `isDropped` false: killed before what waits was dropped.
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('suspend' as const), isDropped: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), isDropped: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('enable' as const) }) },
);

let world: WebhookDatabase;
let queue: DeliveryQueue;
let claims = 0;
const reached = new Set<string>();

/** Does a command to both. */
async function run(command: Command, model: Model, endpointId: string): Promise<void> {
  const { kysely } = world.database;
  const now = new Date(model.nowMs);
  const ping = async () => model.add(await queuePing(kysely, { id: endpointId, topics: [] }, now), 'ping');
  const leave = async (to: 'suspended' | 'removed', isDropped: boolean) => {
    const isMoved = await moveEndpoint(kysely, endpointId, { from: ['registered', 'active'], to, now });
    expect(isMoved).toBe(['registered', 'active'].includes(model.state));
    if (!isMoved) return;
    model.move(to);
    if (!isDropped) return;
    await dropWaiting(kysely, endpointId, { now });
    model.drop();
  };
  switch (command.kind) {
    case 'event':
    case 'replay': {
      if (model.state !== 'active') return;
      const id = await world.addDelivery(endpointId, { kind: command.kind, at: now });
      const { attempts } = command;
      await kysely.updateTable('webhook_deliveries').set({ attempts }).where('id', '=', id).execute();
      return model.add(id, command.kind, attempts);
    }
    case 'ping':
      if (model.state === 'registered' || model.state === 'active') await ping();
      return;
    case 'sweep':
      return cleanUp(model, endpointId);
    case 'begin':
      await begin(model, endpointId);
      return;
    case 'finish': {
      const [claim] = model.claims.splice(command.which % Math.max(1, model.claims.length), 1);
      if (claim !== undefined) await finish(model, claim, command.isSuccessful);
      return;
    }
    case 'fail': // Events that failed five times already, so that failures in a row come about.
      return failOften(command.times, model, endpointId);
    case 'pass':
      model.nowMs += command.minutes * MINUTE_MS;
      return;
    case 'suspend':
      return leave('suspended', command.isDropped);
    case 'remove':
      return leave('removed', command.isDropped);
    case 'enable': {
      const isMoved = await moveEndpoint(kysely, endpointId, { from: ['revoked', 'suspended'], to: 'registered', now });
      expect(isMoved).toBe(['revoked', 'suspended'].includes(model.state));
      if (!isMoved) return;
      model.move('registered');
      return ping();
    }
  }
}

async function failOften(count: number, model: Model, endpointId: string): Promise<void> {
  for (let times = 0; times < count && model.state === 'active'; times += 1) {
    await run({ kind: 'event', attempts: 5 }, model, endpointId);
    const claim = await begin(model, endpointId);
    if (claim !== undefined) await finish(model, claim, false);
  }
}

async function cleanUp(model: Model, endpointId: string): Promise<void> {
  const found = (await queue.findWaiting()).find(({ id }) => id === endpointId);
  if (found?.hasLeftovers) await queue.drop(found, new Date(model.nowMs));
  model.cleanUp();
}

/** A dispatcher claims one delivery; its attempt is under way until it ends. */
async function begin(model: Model, endpointId: string): Promise<Claim | undefined> {
  await cleanUp(model, endpointId);
  const due = model.due();
  claims += 1;
  const now = new Date(model.nowMs);
  const claimUntil = new Date(model.nowMs + CLAIM_MS);
  const dispatcher = dispatcherOf(claims);
  const claimed = await queue.claimDue({ dispatcher, now, claimUntil, demands: [{ endpointId, count: 1 }] });
  const [real] = claimed;
  expect(claimed).toHaveLength(due.length === 0 ? 0 : 1);
  if (real === undefined) return undefined;
  expect(due).toContain(real.id);
  const delivery = model.deliveries.get(real.id);
  if (delivery === undefined) throw new Error('the model has no such delivery');
  expect(real).toMatchObject({ kind: delivery.kind, attempt: delivery.attempts + 1 });
  delivery.claim = claims;
  delivery.dueAtMs = model.nowMs + CLAIM_MS;
  const claim = { number: claims, id: real.id, real };
  model.claims.push(claim);
  return claim;
}

async function finish(model: Model, claim: Claim, isSuccessful: boolean): Promise<void> {
  const place = model.claims.indexOf(claim);
  if (place >= 0) model.claims.splice(place, 1);
  const attempt: Attempt = {
    attempt: claim.real.attempt,
    startedAt: new Date(model.nowMs),
    durationMs: 0,
    outcome: isSuccessful ? 'delivered' : 'timeout',
    status: isSuccessful ? 200 : null,
    message: null,
    answer: null,
  };
  const settlements = [settlementOf(claim.real, attempt)];
  const now = new Date(model.nowMs);
  await queue.settle({ dispatcher: dispatcherOf(claim.number), now, settlements, releases: [] });
  model.finish(claim, isSuccessful);
}

function dispatcherOf(claim: number): string {
  return `dispatcher ${claim}`;
}

/** What the database says of the same endpoint and deliveries. */
async function compare(model: Model, endpointId: string): Promise<void> {
  const endpoint = await world.endpoint(endpointId);
  expect([endpoint.state, endpoint.consecutive_failures]).toEqual([model.state, model.failures]);
  const rows = await world.database.kysely
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .execute();
  const real = rows.map((row) => [row.id, row.state, row.attempts, row.state === 'waiting' ? row.due_at : null]);
  const expected = [...model.deliveries].map(([id, { state, attempts, dueAtMs }]) => [
    id,
    state,
    attempts,
    state === 'waiting' ? dueAtMs : null,
  ]);
  expect(real.toSorted()).toEqual(expected.toSorted());
  for (const state of [model.state, ...[...model.deliveries.values()].map((delivery) => delivery.state)])
    reached.add(state);
}

/** What holds for endpoints and deliveries on every control database; `another` makes an empty one and gives its address. */
export function describeStates(name: string, another: () => Promise<string>): void {
  describe(`states on ${name}`, () => {
    beforeAll(async () => {
      world = await WebhookDatabase.open(await another());
      queue = new DeliveryQueue(world.database);
    });
    afterAll(() => world.close());

    test('endpoints and deliveries go through the states of the specification, whatever happens in whatever order', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(COMMAND, { minLength: 10, maxLength: 60 }), async (commands) => {
          const endpointId = await world.addEndpoint({ state: 'registered' });
          const model = new Model();
          // So that most of it does not pass before the endpoint is active.
          const begun: readonly Command[] = [
            { kind: 'ping' },
            { kind: 'begin' },
            { kind: 'finish', isSuccessful: true, which: 0 },
          ];
          for (const command of [...begun, ...commands]) {
            await run(command, model, endpointId);
            await compare(model, endpointId);
          }
        }),
        { numRuns: RUNS[world.database.engine.kind] },
      );
      const all = [...ENDPOINT_STATES, ...DELIVERY_STATES];
      expect(all.filter((state) => !reached.has(state))).toEqual([]);
    }, 180_000);
  });
}
