/**
 * Sends what waits (specification "Delivery", "Retries"; decisions 0052 and 0109). One loop claims what is due for the slots that are free, in
 * batches, and a few ahead; another one writes down, in batches, the attempts that ended.
 *
 * - Never more than so many attempts are under way to one endpoint, and in all; what is claimed and not begun is bounded too.
 * - An attempt is begun only where its claim outlasts it, so nobody else attempts the same delivery meanwhile.
 * - While the database doesn't do its work, attempts that ended are held and reported later, and none are begun.
 * - Ended at whatever instant, it leaves nothing behind but claims, which end by themselves.
 */
import type { ClaimedDelivery, DeliveryReport, SettleResult, WaitingEndpoint } from '../queue/delivery.ts';
import { attemptDelivery, settlementOf } from './attempt-delivery.ts';
import { type DispatcherDeps, type DispatcherOptions, SETTLE_MARGIN_MS } from './dispatcher-options.ts';
import { Reports, WorkLoop } from './reports.ts';
import { sendOne } from './send-now.ts';
import { Slots } from './slots.ts';
import { PUT_OFF_MS, type Target, Targets } from './targets.ts';

/**
 * Between two claims, and between two transactions that write attempts down: what comes meanwhile shares a sync to the disk. Longer: more
 * is attempted again after a crash, and slots may wait for a claim.
 */
const PAUSE_MS = 20;

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #options: DispatcherOptions;
  readonly #slots: Slots;
  readonly #targets: Targets;
  readonly #reports: Reports;
  readonly #claiming: WorkLoop;
  readonly #reporting: WorkLoop;
  readonly #underWay = new Set<Promise<void>>();
  /** Ids of deliveries that are claimed here and not attempted yet. */
  readonly #held = new Set<string>();
  /** What is being dropped, by the ids of endpoints. */
  readonly #drops = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #abandon = new AbortController();
  #isPollDue = true;
  #running: Promise<unknown> | undefined;

  /** Throws where claims would not outlast attempts. */
  constructor(deps: DispatcherDeps, options: DispatcherOptions) {
    if (options.claimMs < options.timeoutMs + 2 * SETTLE_MARGIN_MS)
      throw new Error(`a claim of ${options.claimMs} ms is too short for attempts of ${options.timeoutMs} ms`);
    this.#deps = deps;
    this.#options = options;
    this.#slots = new Slots(options);
    this.#targets = new Targets(deps);
    this.#reports = new Reports(deps);
    this.#claiming = new WorkLoop(
      { isDue: () => this.#isClaimDue(), run: () => this.#claim(), pauseMs: PAUSE_MS },
      deps,
    );
    this.#reporting = new WorkLoop(
      { isDue: () => this.#reports.size > 0, run: () => this.#writeReports(), pauseMs: PAUSE_MS },
      deps,
    );
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.#slots.inFlight;
  }

  /** Begins to work, until {@link stop}. */
  start(): void {
    if (this.#running !== undefined) return;
    const loops = [this.#claiming, this.#reporting].map((loop) => loop.run(this.#stop.signal));
    this.#running = Promise.all([...loops, this.#pollOften()]);
  }

  /** Looks for due deliveries now: some were queued. */
  wake(): void {
    this.#isPollDue = true;
    this.#claiming.wake();
  }

  /**
   * Attempts one delivery at once, also where this dispatcher was not started; where another one has it, waits for what that one
   * finds. Resolves to how the delivery stands then; undefined: there is none. Rejects with `unavailable`, and as opening the
   * secret does.
   */
  sendNow(deliveryId: string): Promise<DeliveryReport | undefined> {
    const onSettled = (result: SettleResult) => this.#reportChanges(result);
    return sendOne(deliveryId, this.#deps, { ...this.#options, signal: this.#abandon.signal, onSettled });
  }

  /** Begins no more attempts, waits a bounded time for those under way, writes down what they found, and releases the rest. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const loop of [this.#claiming, this.#reporting]) loop.wake();
    await this.#running;
    const waited = new AbortController();
    const limit = this.#deps.sleep(this.#options.stopTimeoutMs, waited.signal);
    await Promise.race([Promise.all([...this.#underWay, ...this.#drops.values()]), limit]);
    waited.abort();
    this.#abandon.abort();
    await Promise.all(this.#underWay);
    this.#releaseReady();
    await this.#reports.writeLast((result) => this.#reportChanges(result));
  }

  async #pollOften(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#deps.sleep(this.#options.pollMs, this.#stop.signal);
      this.wake();
    }
  }

  /** False also while so much is to be written down that the database can't be doing its work. */
  #isClaimDue(): boolean {
    if (this.#reports.size > this.#options.inFlightMax * 2) return false;
    return this.#isPollDue || this.#slots.demands().length > 0;
  }

  async #poll(): Promise<void> {
    const waiting = await this.#deps.queue.findWaiting();
    this.#isPollDue = false;
    this.#targets.update(waiting);
    const now = this.#deps.clock();
    for (const endpoint of waiting) {
      if (endpoint.hasLeftovers) this.#beginDrop(endpoint);
      else if (endpoint.dueAt <= now && !this.#drops.has(endpoint.id) && !this.#targets.isResting(endpoint.id, now))
        this.#slots.expect(endpoint.id);
    }
  }

  /** Claims what is due for the free slots, after a poll where one is due, and begins it. */
  async #claim(): Promise<void> {
    if (this.#isPollDue) await this.#poll();
    const demands = this.#slots.demands();
    if (demands.length === 0) return;
    const { queue, clock, name: dispatcher } = this.#deps;
    const now = clock();
    const claimUntil = new Date(now.getTime() + this.#options.claimMs);
    const claimed = await queue.claimDue({ dispatcher, now, demands, claimUntil });
    // What is held here is claimed anew where the clock has leapt, or where an outage outlasted the claim: once is enough.
    const fresh = claimed.filter(({ id }) => !this.#held.has(id) && !this.#reports.holds(id));
    for (const { id } of fresh) this.#held.add(id);
    this.#slots.add(demands, fresh);
    this.#begin();
  }

  /** Writes down what ended. */
  async #writeReports(): Promise<void> {
    this.#reportChanges(await this.#reports.write());
    this.#begin(); // Where so much was to be written down that none was begun.
    this.#claiming.wake();
  }

  #reportChanges({ activated, revoked }: SettleResult): void {
    for (const endpointId of activated) this.#deps.onEvent({ type: 'activated', endpointId });
    if (activated.length > 0) this.wake(); // What waits for them may be sent from now on.
    for (const endpointId of revoked) {
      this.#deps.onEvent({ type: 'revoked', endpointId });
      this.#beginDrop({ id: endpointId, state: 'revoked' });
    }
  }

  /** Drops what an endpoint must not be sent any more, some rows at a time, beside all else. */
  #beginDrop(endpoint: Pick<WaitingEndpoint, 'id' | 'state'>): void {
    this.#targets.forget(endpoint.id);
    this.#releaseReady(endpoint.id);
    if (this.#drops.has(endpoint.id)) return;
    const drop = this.#drop(endpoint).finally(() => this.#drops.delete(endpoint.id));
    this.#drops.set(endpoint.id, drop);
  }

  async #drop(endpoint: Pick<WaitingEndpoint, 'id' | 'state'>): Promise<void> {
    const { queue, clock, onEvent } = this.#deps;
    try {
      const deliveries = await queue.drop(endpoint, clock());
      if (deliveries > 0) onEvent({ type: 'dropped', endpointId: endpoint.id, deliveries });
    } catch (error) {
      onEvent({ type: 'trouble', error, retryMs: 0 }); // The next poll finds it again.
    }
  }

  /** Begins attempts while there are free slots. */
  #begin(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { id, endpointId } = next;
      const attempt = this.#attempt(next).finally(() => {
        this.#underWay.delete(attempt);
        this.#held.delete(id);
        this.#slots.free(endpointId);
        this.#begin();
        for (const loop of [this.#claiming, this.#reporting]) loop.wake();
      });
      this.#underWay.add(attempt);
    }
  }

  #next(): ClaimedDelivery | undefined {
    const isFull = this.#stop.signal.aborted || this.#reports.size > this.#options.inFlightMax * 2;
    return isFull ? undefined : this.#slots.take();
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const now = this.#deps.clock();
    const isStale = delivery.claimedUntil.getTime() - now.getTime() < this.#options.timeoutMs + SETTLE_MARGIN_MS;
    const target = isStale ? undefined : this.#targets.find(delivery, now);
    if (target !== undefined) return this.#send(delivery, target);
    this.#reports.release(delivery, now);
    if (this.#targets.isResting(delivery.endpointId, now)) this.#releaseReady(delivery.endpointId);
  }

  /** Gives back what was claimed ahead for an endpoint, or for all. */
  #releaseReady(endpointId?: string): void {
    const now = this.#deps.clock();
    for (const delivery of this.#slots.empty(endpointId)) {
      this.#held.delete(delivery.id);
      this.#reports.release(delivery, now);
    }
  }

  async #send(delivery: ClaimedDelivery, { url, secret }: Target): Promise<void> {
    const { signal } = this.#abandon;
    const { id: deliveryId, endpointId, kind } = delivery;
    try {
      const attempt = await attemptDelivery(delivery, { url, secret, signal }, { ...this.#deps, ...this.#options });
      if (signal.aborted) return this.#reports.release(delivery, this.#deps.clock());
      this.#reports.settle(settlementOf(delivery, attempt));
      this.#deps.onEvent({ type: 'attempted', deliveryId, endpointId, kind, ...attempt });
    } catch (error) {
      const now = this.#deps.clock();
      if (signal.aborted) return this.#reports.release(delivery, now);
      this.#deps.onEvent({ type: 'put_off', endpointId, error });
      this.#reports.release(delivery, new Date(now.getTime() + PUT_OFF_MS));
    }
  }
}
