/**
 * Sends waiting deliveries (specification "Delivery", "Retries"; decisions 0052 and 0109). One loop claims due
 * deliveries in batches, a few ahead of the free slots; another writes ended attempts in batches.
 *
 * - Attempts under way and claimed deliveries are limited per endpoint and in all.
 * - An attempt begins only if its claim outlasts it, so no other dispatcher makes it.
 * - While the database fails, ended attempts are held, and none begins.
 * - A killed dispatcher leaves only claims, which expire.
 */
import type { ClaimedDelivery, DeliveryReport, SettleResult, WaitingEndpoint } from '../queue/delivery.ts';
import { attemptDelivery, settlementOf } from './attempt-delivery.ts';
import { type DispatcherDeps, type DispatcherOptions, SETTLE_MARGIN_MS } from './dispatcher-options.ts';
import { Reports, WorkLoop } from './reports.ts';
import { sendOne } from './send-now.ts';
import { Slots } from './slots.ts';
import { PUT_OFF_MS, type Target, Targets } from './targets.ts';

/**
 * Between two claims, or writes of attempts, so that batches share a sync to disk. Longer: a crash repeats more
 * attempts, and slots may wait.
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
  /** Deliveries claimed here and not attempted yet. */
  readonly #held = new Set<string>();
  /** Drops under way, by endpoint. */
  readonly #drops = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  readonly #abandon = new AbortController();
  #isPollDue = true;
  #running: Promise<unknown> | undefined;

  /** Throws if claims would not outlast attempts. */
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

  get inFlight(): number {
    return this.#slots.inFlight;
  }

  start(): void {
    if (this.#running !== undefined) return;
    const loops = [this.#claiming, this.#reporting].map((loop) => loop.run(this.#stop.signal));
    this.#running = Promise.all([...loops, this.#pollOften()]);
  }

  /** Polls now, because deliveries were queued. */
  wake(): void {
    this.#isPollDue = true;
    this.#claiming.wake();
  }

  /**
   * Attempts one delivery at once, even before {@link start}, or waits for the dispatcher that has claimed it. Resolves
   * to its status afterwards; undefined if it does not exist. Rejects with `unavailable`, and if the secret can't be
   * opened.
   */
  sendNow(deliveryId: string): Promise<DeliveryReport | undefined> {
    const onSettled = (result: SettleResult) => this.#reportChanges(result);
    return sendOne(deliveryId, this.#deps, { ...this.#options, signal: this.#abandon.signal, onSettled });
  }

  /** Waits a bounded time for attempts under way, writes their results and releases the rest. */
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

  /** False also while too many reports are unwritten: the database must be failing. */
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

  async #claim(): Promise<void> {
    if (this.#isPollDue) await this.#poll();
    const demands = this.#slots.demands();
    if (demands.length === 0) return;
    const { queue, clock, name: dispatcher } = this.#deps;
    const now = clock();
    const claimUntil = new Date(now.getTime() + this.#options.claimMs);
    const claimed = await queue.claimDue({ dispatcher, now, demands, claimUntil });
    // Claimed again after a clock jump or a long outage.
    const fresh = claimed.filter(({ id }) => !this.#held.has(id) && !this.#reports.holds(id));
    for (const { id } of fresh) this.#held.add(id);
    this.#slots.add(demands, fresh);
    this.#begin();
  }

  async #writeReports(): Promise<void> {
    this.#reportChanges(await this.#reports.write());
    this.#begin(); // Attempts may have paused while too many reports were unwritten.
    this.#claiming.wake();
  }

  #reportChanges({ activated, revoked }: SettleResult): void {
    for (const endpointId of activated) this.#deps.onEvent({ type: 'activated', endpointId });
    if (activated.length > 0) this.wake(); // Their waiting deliveries may be sent now.
    for (const endpointId of revoked) {
      this.#deps.onEvent({ type: 'revoked', endpointId });
      this.#beginDrop({ id: endpointId, state: 'revoked' });
    }
  }

  /** In the background. */
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

  /** Releases deliveries claimed ahead for an endpoint, or for all. */
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
