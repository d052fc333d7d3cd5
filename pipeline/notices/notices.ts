import type { BaseLogger } from 'pino';
import type { Day } from '../../runtime/day.ts';
import { messageFromError } from '../../runtime/errors.ts';
import { type Notice, type NoticeFacts, type NoticeKind, noticeFrom } from './notice.ts';
import { NoticeFiles, type NoticeName } from './notice-files.ts';
import { type NoticeTarget, type SendDeps, type Sent, sendNotice, shownTarget, targetKey } from './send-notice.ts';

export interface NoticesDeps extends Omit<SendDeps, 'stop'> {
  readonly targets: readonly NoticeTarget[];
  /** The store's address, as it may be shown. */
  readonly store: string;
  readonly workFolder: string;
  readonly clock: () => Date;
  readonly log: Pick<BaseLogger, 'info' | 'warn' | 'error'>;
  /** Called as a target has taken a notice, or has not. */
  readonly onSent?: (kind: NoticeKind, isTaken: boolean) => void;
}

export type NightFacts = NoticeFacts & { readonly kind: NoticeKind };
type NightNotice = Notice & NoticeName;

/**
 * Tells operators of nights: of each day and kind once, whichever process comes to know of it and however often (decision 0087).
 * Whom a notice has not reached gets it with the next occasion. Telling takes its time beside the night and never harms it: nothing
 * here rejects.
 */
export class Notices {
  readonly #deps: NoticesDeps;
  readonly #files: NoticeFiles;
  /** What this process has told, for a work folder that can't be written. */
  readonly #told = new Map<string, NoticeName & { readonly taken: Set<string> }>();
  readonly #stop = new AbortController();
  /** One after the other, so that a recovery never arrives before what it is from. */
  #queue: Promise<void> = Promise.resolve();

  constructor(deps: NoticesDeps) {
    this.#deps = deps;
    this.#files = new NoticeFiles(deps.workFolder, deps.clock);
  }

  /** Tells of a night, unless that was told; resolves when it is over. */
  tell(facts: NightFacts): Promise<void> {
    return this.#enqueue(() => this.#deliver(this.#noticeOf(facts)));
  }

  /** Tells that a day is published, where it or a day before it was told as not. */
  published(day: Day): Promise<void> {
    return this.#enqueue(async () => {
      const names = this.#names();
      if (names.some((name) => name.kind === 'recovered' && name.day === day))
        return this.#resume({ day, kind: 'recovered' });
      const last = names.findLast((name) => name.kind === 'recovered')?.day;
      const over = names.filter((name) => name.day <= day && (last === undefined || name.day > last));
      if (over.length === 0) return;
      const reasons = over.map((name) => `${name.day} was told as ${name.kind}`);
      const leftOut = [...new Set(over.map((name) => name.day))].filter((before) => before < day);
      if (leftOut.length > 0) reasons.push(`left out for good: ${leftOut.join(', ')}`);
      await this.#deliver(this.#noticeOf({ kind: 'recovered', day, at: this.#deps.clock(), reasons }));
    });
  }

  /**
   * Goes on with what a process that was killed had begun to tell, from a day on. What another one may still be telling is looked at
   * once more when it must be through; other notices don't wait for that.
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
      this.#files.tidy();
      for (const name of this.#begunFrom(from)) await this.#resume(name);
    });
  }

  /** What somebody has begun to tell, and not ended, as far as is known. */
  #begunFrom(from: Day): readonly NoticeName[] {
    return this.#files.list().filter((name) => name.day >= from && (this.#files.find(name)?.owner ?? null) !== null);
  }

  /** Sends a notice to every target, whatever was told before; resolves to how that went, in their order. */
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

  /** Resolves when everything that was to be told so far is told, or given up. */
  settled(): Promise<void> {
    return this.#queue;
  }

  /** Ends what is under way, for a process that has to end: the next one goes on with it. */
  abandon(): void {
    this.#stop.abort();
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work).catch((error: unknown) => {
      this.#deps.log.error({ err: error }, `a notice could not be told: ${messageFromError(error)}`);
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
    this.#save(notice, { taken, isOver: false }); // What another process had left is this one's now.
    await Promise.all(missing.map((target) => this.#send(target, { notice, taken })));
    this.#save(notice, { taken, isOver: !this.#stop.signal.aborted });
  }

  async #send(target: NoticeTarget, { notice, taken }: { notice: NightNotice; taken: Set<string> }): Promise<void> {
    const { log, onSent } = this.#deps;
    const { problem, tries } = await sendNotice(target, notice, { ...this.#deps, stop: this.#stop.signal });
    if (problem !== undefined && this.#stop.signal.aborted) return;
    const fields = { kind: notice.kind, day: notice.day, target: shownTarget(target), tries };
    onSent?.(notice.kind, problem === undefined);
    if (problem !== undefined) return log.error(fields, `a notice was not taken: ${problem}`);
    taken.add(targetKey(target));
    this.#save(notice, { taken, isOver: false });
    log.info(fields, 'a notice was taken');
  }

  /** Who has taken it; undefined where another process is telling it. */
  #claim(notice: NightNotice): Set<string> | undefined {
    const key = `${notice.day}.${notice.kind}`;
    const told = this.#told.get(key) ?? { day: notice.day, kind: notice.kind, taken: new Set<string>() };
    try {
      const taken = this.#files.claim(notice);
      if (taken === undefined) return undefined;
      for (const target of taken) told.taken.add(target);
    } catch (error) {
      this.#warn(error);
    }
    this.#told.set(key, told);
    return told.taken;
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
      `what was told can't be kept in the work folder, and may be told again: ${why}`,
    );
  }

  /** What was told, by this process and by others, by day. */
  #names(): readonly NoticeName[] {
    const names = new Map(
      [...this.#files.list(), ...this.#told.values()].map((name) => [`${name.day}.${name.kind}`, name]),
    );
    return [...names.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
  }
}
