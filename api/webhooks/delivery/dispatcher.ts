/**
 * Sends what waits (specification "Delivery", "Retries"). It works in turns: one transaction writes down the attempts that ended
 * since the last one and claims the next deliveries, while attempts go on beside it (decision 0052).
 *
 * - Never more than so many attempts are under way to one endpoint, and in all; what is claimed and not begun is bounded too.
 * - An attempt is begun only where its claim outlasts it, so nobody else attempts the same delivery meanwhile.
 * - While the database doesn't do its work, attempts that ended are kept and told later, and hardly any are begun.
 * - Ended at whatever instant, it leaves nothing behind but claims, which end by themselves.
 */
import type { ClaimedDelivery, DeliveryReport, Target, TurnResult, Want } from '../queue/delivery-queue.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { type DispatcherDeps, type DispatcherOptions, SETTLE_MARGIN_MS } from './dispatcher-options.ts';
import { Lanes } from './lanes.ts';
import { Reports } from './reports.ts';
import { sendOne } from './send-now.ts';
import { Sweeps } from './sweeps.ts';
import { isDeliverable, PUT_OFF_MS, Targets } from './targets.ts';
import { settlementOf } from './timetable.ts';

/**
 * Between two turns, unless a slot is free for want of a claim: what ends meanwhile shares a sync to the disk. Longer: more is
 * attempted again after a crash.
 */
const TURN_PAUSE_MS = 20;
/** Attempts told of in one turn: more keep other writers waiting longer. */
const REPORTS_AT_ONCE = 500;
/** After the first failure of the database; doubled with each further one. */
const BACKOFF_MS = 200;
const BACKOFF_MS_MAX = 10_000;
/** At the end, tries to write down what is known. */
const LAST_TURNS_MAX = 3;

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #options: DispatcherOptions;
  readonly #lanes: Lanes;
  readonly #targets: Targets;
  readonly #reports = new Reports();
  readonly #underWay = new Set<Promise<void>>();
  readonly #sweeps: Sweeps;
  readonly #stop = new AbortController();
  readonly #abandon = new AbortController();
  #isLookDue = true;
  #failures = 0;
  #alarm: AbortController | undefined;
  #pause: AbortController | undefined;
  #isAwake = false;
  #running: Promise<unknown> | undefined;

  /** Throws where claims would not outlast attempts. */
  constructor(deps: DispatcherDeps, options: DispatcherOptions) {
    if (options.claimMs < options.timeoutMs + 2 * SETTLE_MARGIN_MS)
      throw new Error(`a claim of ${options.claimMs} ms is too short for attempts of ${options.timeoutMs} ms`);
    this.#deps = deps;
    this.#options = options;
    this.#lanes = new Lanes(options);
    this.#targets = new Targets(deps.secrets);
    this.#sweeps = new Sweeps(deps.queue, deps);
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.#lanes.inFlight;
  }

  /** Begins to work, until {@link stop}. */
  start(): void {
    this.#running ??= Promise.all([this.#work(), this.#poll()]);
  }

  /** Looks for due deliveries now: some were queued. */
  wake(): void {
    this.#isLookDue = true;
    this.#pause?.abort();
    this.#rouse();
  }

  /**
   * Attempts one delivery at once, also where this dispatcher was not started; where another one has it, waits for what that one
   * finds. Resolves to how the delivery stands then; undefined: there is none. Rejects with `unavailable`, and as opening the
   * secret does.
   */
  sendNow(deliveryId: string): Promise<DeliveryReport | undefined> {
    return sendOne(deliveryId, this.#deps, {
      ...this.#options,
      signal: this.#abandon.signal,
      onTurn: (result) => this.#takeNote(result),
    });
  }

  /** Begins no more attempts, waits a bounded time for those under way, writes down what they found, and lets go of the rest. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#pause?.abort();
    this.#rouse();
    await this.#running;
    const waited = new AbortController();
    const limit = this.#deps.sleep(this.#options.stopTimeoutMs, waited.signal);
    await Promise.race([this.#idle(), limit]);
    waited.abort();
    this.#abandon.abort();
    await Promise.all(this.#underWay);
    await this.#lastTurns();
  }

  /** Resolves when no attempt is under way and nothing is being dropped. */
  async #idle(): Promise<void> {
    await Promise.all([...this.#underWay, this.#sweeps.idle()]);
  }

  async #poll(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#deps.sleep(this.#options.pollMs, this.#stop.signal);
      this.wake();
    }
  }

  async #work(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#step();
      await this.#rest();
    }
  }

  /** A look where one is due, and a turn where there is something to write or to claim. */
  async #step(): Promise<void> {
    try {
      const isLooking = this.#isLookDue;
      if (isLooking) await this.#look();
      this.#letGo();
      // A look also asks where the deliveries that are held go now, and whether they may.
      if (this.#hasTurn() || (isLooking && this.#lanes.ready > 0)) await this.#turn(this.#lanes.wants());
      if (this.#failures > 0) this.#deps.onEvent({ type: 'recovered' });
      this.#failures = 0;
      this.#begin();
    } catch (error) {
      const retryMs = Math.min(BACKOFF_MS * 2 ** this.#failures, BACKOFF_MS_MAX);
      this.#failures += 1;
      this.#deps.onEvent({ type: 'trouble', error, retryMs });
      await this.#deps.sleep(retryMs, this.#stop.signal);
    }
  }

  /** Until there is something to do. */
  async #rest(): Promise<void> {
    if (!this.#lanes.isHungry) await this.#pauseTurns();
    if (this.#isAwake || this.#isLookDue || this.#hasTurn()) {
      this.#isAwake = false;
      return;
    }
    this.#alarm = new AbortController();
    await this.#deps.sleep(this.#options.pollMs, this.#alarm.signal);
    this.#alarm = undefined;
    this.#isAwake = false;
  }

  async #pauseTurns(): Promise<void> {
    this.#pause = new AbortController();
    await this.#deps.sleep(TURN_PAUSE_MS, this.#pause.signal);
    this.#pause = undefined;
  }

  #rouse(): void {
    this.#isAwake = true;
    this.#alarm?.abort();
  }

  #hasTurn(): boolean {
    return !this.#reports.isEmpty || this.#lanes.wants().length > 0;
  }

  async #look(): Promise<void> {
    const waiting = await this.#deps.queue.findWaiting();
    this.#isLookDue = false;
    const now = this.#deps.clock();
    for (const { id, state, dueAt, hasLeftovers } of waiting) {
      if (hasLeftovers) this.#sweeps.begin({ id, state });
      else if (dueAt <= now && !this.#sweeps.has(id) && !this.#targets.isResting(id, now)) this.#lanes.expect(id);
    }
  }

  /** Gives back what waits here for a slot for so long that its claim would not outlast the attempt. */
  #letGo(): void {
    const now = this.#deps.clock();
    for (const delivery of this.#lanes.remove((waiting) => this.#isStale(waiting, now)))
      this.#reports.release(delivery, now);
  }

  #isStale({ claimedUntil }: ClaimedDelivery, now: Date): boolean {
    return claimedUntil.getTime() - now.getTime() < this.#options.timeoutMs + SETTLE_MARGIN_MS;
  }

  /** Writes what is known and claims what is wanted, in one transaction. */
  async #turn(wants: readonly Want[]): Promise<void> {
    const told = this.#reports.next(REPORTS_AT_ONCE);
    const now = this.#deps.clock();
    const result = await this.#deps.queue.turn({
      ...told,
      dispatcher: this.#deps.name,
      now,
      wants,
      claimUntil: new Date(now.getTime() + this.#options.claimMs),
      endpointIds: this.#lanes.endpointIds,
    });
    this.#targets.update(result.targets);
    this.#lanes.add(wants, this.#reports.confirm(told, result));
    this.#takeNote(result);
  }

  #takeNote({ activated, revoked }: Pick<TurnResult, 'activated' | 'revoked'>): void {
    for (const endpointId of activated) this.#deps.onEvent({ type: 'activated', endpointId });
    for (const endpointId of revoked) {
      this.#deps.onEvent({ type: 'revoked', endpointId });
      this.#sweeps.begin({ id: endpointId, state: 'revoked' });
    }
  }

  /** Begins attempts while there are free slots. */
  #begin(): void {
    while (!this.#stop.signal.aborted && this.#reports.ended < this.#options.inFlightMax * 2) {
      const delivery = this.#lanes.take();
      if (delivery === undefined) {
        if (this.#pause !== undefined && this.#lanes.isHungry) this.#pause.abort();
        return;
      }
      const attempt = this.#attempt(delivery).finally(() => this.#underWay.delete(attempt));
      this.#underWay.add(attempt);
    }
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const target = this.#targets.get(delivery.endpointId);
    const now = this.#deps.clock();
    const isToBegin = target !== undefined && isDeliverable(delivery, target) && !this.#isStale(delivery, now);
    const secret = isToBegin && !this.#targets.isResting(target.id, now) ? this.#openSecret(target, now) : undefined;
    if (target === undefined || secret === undefined) this.#reports.release(delivery, now);
    else await this.#send(delivery, target, secret);
    this.#lanes.free(delivery.endpointId);
    this.#begin();
    this.#rouse();
  }

  /** Undefined where it can't be opened: nothing is sent to the endpoint for a while, and that is told. */
  #openSecret(target: Target, now: Date): string | undefined {
    try {
      return this.#targets.secretOf(target);
    } catch (error) {
      this.#deps.onEvent({ type: 'put_off', endpointId: target.id, error });
      this.#targets.rest(target.id, now);
      for (const delivery of this.#lanes.empty(target.id)) this.#reports.release(delivery, now);
      return undefined;
    }
  }

  async #send(delivery: ClaimedDelivery, target: Target, secret: string): Promise<void> {
    const { signal } = this.#abandon;
    try {
      const attempt = await attemptDelivery(
        delivery,
        { url: target.url, secret, signal },
        { ...this.#deps, ...this.#options },
      );
      if (signal.aborted) return this.#reports.release(delivery, this.#deps.clock());
      this.#reports.settle(settlementOf(delivery, attempt));
      const { id: deliveryId, endpointId, kind } = delivery;
      this.#deps.onEvent({ type: 'attempted', deliveryId, endpointId, kind, ...attempt });
    } catch (error) {
      const now = this.#deps.clock();
      if (signal.aborted) return this.#reports.release(delivery, now);
      this.#deps.onEvent({ type: 'put_off', endpointId: target.id, error });
      this.#reports.release(delivery, new Date(now.getTime() + PUT_OFF_MS));
    }
  }

  async #lastTurns(): Promise<void> {
    const now = this.#deps.clock();
    for (const delivery of this.#lanes.remove(() => true)) this.#reports.release(delivery, now);
    for (let turns = 1; !this.#reports.isEmpty; ) {
      try {
        await this.#turn([]);
      } catch (error) {
        const retryMs = turns < LAST_TURNS_MAX ? BACKOFF_MS : 0;
        this.#deps.onEvent({ type: 'trouble', error, retryMs });
        if (turns === LAST_TURNS_MAX) return; // Claims end by themselves.
        turns += 1;
        await this.#deps.sleep(retryMs, new AbortController().signal);
      }
    }
  }
}
