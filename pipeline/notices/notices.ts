import type { BaseLogger } from 'pino';
import type { Day } from '../../runtime/day.ts';
import { messageFromError } from '../../runtime/errors.ts';
import { type Notice, type NoticeFacts, type NoticeKind, noticeFrom } from './notice.ts';
import { NoticeFiles, type NoticeName } from './notice-files.ts';
import { type NoticeTarget, type SendDeps, type Sent, sendNotice, shownTarget, targetKey } from './send-notice.ts';

export interface NoticesDeps extends Omit<SendDeps, 'stop'> {
  readonly targets: readonly NoticeTarget[];
  /** As it may be shown. */
  readonly store: string;
  readonly workFolder: string;
  readonly clock: () => Date;
  readonly log: Pick<BaseLogger, 'info' | 'warn' | 'error'>;
  readonly onSent?: (kind: NoticeKind, isTaken: boolean) => void;
}

export type NightFacts = NoticeFacts & { readonly kind: NoticeKind };
type NightNotice = Notice & NoticeName;

/**
 * Sends one notice per day and kind, by whichever process knows first (decision 0087). Targets that failed get it with
 * the next occasion. Nothing here rejects: sending never harms the night.
 */
export class Notices {
  readonly #deps: NoticesDeps;
  readonly #files: NoticeFiles;
  /** This process's notices, for a work folder that can't be written. */
  readonly #known = new Map<string, NoticeName & { readonly taken: Set<string> }>();
  readonly #stop = new AbortController();
  /** In order, so that a recovery never arrives before its cause. */
  #queue: Promise<void> = Promise.resolve();

  constructor(deps: NoticesDeps) {
    this.#deps = deps;
    this.#files = new NoticeFiles(deps.workFolder, deps.clock);
  }

  /** Unless already sent; resolves when finished. */
  send(facts: NightFacts): Promise<void> {
    return this.#enqueue(() => this.#deliver(this.#noticeOf(facts)));
  }

  /** Sends a recovery if this day, or an earlier one, was reported as unpublished. */
  published(day: Day): Promise<void> {
    return this.#enqueue(async () => {
      const names = this.#names();
      if (names.some((name) => name.kind === 'recovered' && name.day === day))
        return this.#resume({ day, kind: 'recovered' });
      const last = names.findLast((name) => name.kind === 'recovered')?.day;
      const over = names.filter((name) => name.day <= day && (last === undefined || name.day > last));
      if (over.length === 0) return;
      const reasons = over.map((name) => `${name.day} was reported as ${name.kind}`);
      const leftOut = [...new Set(over.map((name) => name.day))].filter((before) => before < day);
      if (leftOut.length > 0) reasons.push(`never published: ${leftOut.join(', ')}`);
      await this.#deliver(this.#noticeOf({ kind: 'recovered', day, at: this.#deps.clock(), reasons }));
    });
  }

  /**
   * Resumes notices of killed processes, from a day on. Those another process may be sending are checked again after
   * its time limit.
   */
  async resume(from: Day): Promise<void> {
    await this.#resumeFrom(from);
    const waitMs = Math.max(0, ...this.#begunFrom(from).map((name) => this.#files.ownedForMs(name)));
    if (waitMs === 0) return;
    await this.#deps.sleep(waitMs, this.#stop.signal);
    await this.#resumeFrom(from);
  }

  #resumeFrom(from: Day): Promise<void> {
    return this.#enqueue(async () => {
      this.#files.removeOld();
      for (const name of this.#begunFrom(from)) await this.#resume(name);
    });
  }

  /** Unfinished, as far as known. */
  #begunFrom(from: Day): readonly NoticeName[] {
    return this.#files.list().filter((name) => name.day >= from && (this.#files.find(name)?.owner ?? null) !== null);
  }

  /** Regardless of earlier notices; results in order of the targets. */
  async test(day: Day): Promise<readonly (Sent & { readonly target: string })[]> {
    const { targets, store, clock } = this.#deps;
    const notice = noticeFrom(store, { kind: 'test', day, at: clock() });
    return Promise.all(
      targets.map(async (target) => ({
        target: shownTarget(target),
        ...(await sendNotice(target, notice, this.#deps)),
      })),
    );
  }

  /** Resolves when everything so far is sent or given up. */
  settled(): Promise<void> {
    return this.#queue;
  }

  /** Stops sending, for a process that must end; the next one resumes. */
  abandon(): void {
    this.#stop.abort();
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work).catch((error: unknown) => {
      this.#deps.log.error({ err: error }, `a notice could not be sent: ${messageFromError(error)}`);
    });
    return this.#queue;
  }

  #noticeOf(facts: NightFacts): NightNotice {
    return { ...noticeFrom(this.#deps.store, facts), kind: facts.kind };
  }

  async #resume(name: NoticeName): Promise<void> {
    const file = this.#files.find(name);
    if (file !== undefined) await this.#deliver({ ...file.notice, ...name });
  }

  async #deliver(notice: NightNotice): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const taken = this.#claim(notice);
    if (taken === undefined) return;
    const missing = this.#deps.targets.filter((target) => !taken.has(targetKey(target)));
    if (missing.length === 0) return;
    this.#save(notice, { taken, isOver: false }); // Takes over from a dead process.
    await Promise.all(missing.map((target) => this.#sendTo(target, { notice, taken })));
    this.#save(notice, { taken, isOver: !this.#stop.signal.aborted });
  }

  async #sendTo(target: NoticeTarget, { notice, taken }: { notice: NightNotice; taken: Set<string> }): Promise<void> {
    const { log, onSent } = this.#deps;
    const { problem, tries } = await sendNotice(target, notice, { ...this.#deps, stop: this.#stop.signal });
    if (problem !== undefined && this.#stop.signal.aborted) return;
    const fields = { kind: notice.kind, day: notice.day, target: shownTarget(target), tries };
    onSent?.(notice.kind, problem === undefined);
    if (problem !== undefined) return log.error(fields, `a notice was not accepted: ${problem}`);
    taken.add(targetKey(target));
    this.#save(notice, { taken, isOver: false });
    log.info(fields, 'a notice was accepted');
  }

  /** Undefined where another process is sending it. */
  #claim(notice: NightNotice): Set<string> | undefined {
    const key = `${notice.day}.${notice.kind}`;
    const sent = this.#known.get(key) ?? { day: notice.day, kind: notice.kind, taken: new Set<string>() };
    try {
      const taken = this.#files.claim(notice);
      if (taken === undefined) return undefined;
      for (const target of taken) sent.taken.add(target);
    } catch (error) {
      this.#warn(error);
    }
    this.#known.set(key, sent);
    return sent.taken;
  }

  #save(
    notice: NightNotice,
    { taken, isOver }: { readonly taken: ReadonlySet<string>; readonly isOver: boolean },
  ): void {
    try {
      this.#files.save(notice, { taken: [...taken], isOver });
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    const why = messageFromError(error);
    this.#deps.log.warn(
      { err: error },
      `sent notices can't be recorded in the work folder and may be sent again: ${why}`,
    );
  }

  /** From all processes, by day. */
  #names(): readonly NoticeName[] {
    const names = new Map(
      [...this.#files.list(), ...this.#known.values()].map((name) => [`${name.day}.${name.kind}`, name]),
    );
    return [...names.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
  }
}
