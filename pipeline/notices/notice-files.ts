import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Day, isDay } from '../../runtime/day.ts';
import { codeFromError } from '../../runtime/errors.ts';
import { isAnotherProcess } from '../run/work-folder.ts';
import { NOTICE_KINDS, type Notice, type NoticeKind, NoticeSchema } from './notice.ts';
import { SENDING_MS_MAX } from './send-notice.ts';

/**
 * Sent notices, a file `<day>.<kind>.json` each in the work folder's `notices/`, shared by all processes.
 * - A file is created atomically, so only one process sends the notice.
 * - Every acceptance is recorded at once, so another process can resume. Only a target that accepts at the moment of a
 *   kill gets a duplicate.
 */
const FileSchema = z.object({
  notice: NoticeSchema,
  /** `pid@host` of the sender; null when it has finished. */
  owner: z.string().nullable(),
  owned_at: z.iso.datetime(),
  /** Keys of the targets that accepted it. */
  taken: z.array(z.string()),
});
export type NoticeFile = z.infer<typeof FileSchema>;

/** A night has one notice of each kind. */
export interface NoticeName {
  readonly day: Day;
  readonly kind: NoticeKind;
}

/**
 * Longer than any sending. Then an owner that can't be checked (another machine, a recreated container) counts as dead.
 * Smaller: differing clocks cause duplicates. Larger: its notices are resumed later.
 */
const OWNED_MS_MAX = SENDING_MS_MAX + 24_000;
/** Some months of bad nights. */
const FILES_MAX = 400;

export class NoticeFiles {
  readonly #folder: string;
  readonly #clock: () => Date;

  /** @param workFolder need not exist */
  constructor(workFolder: string, clock: () => Date) {
    this.#folder = join(workFolder, 'notices');
    this.#clock = clock;
  }

  /**
   * Undefined where another process is sending the notice; else the targets that accepted it. Throws what the file
   * system throws.
   */
  claim(notice: Notice & NoticeName): readonly string[] | undefined {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (this.#create(notice)) return [];
    const file = this.find(notice);
    if (file === undefined) return []; // Damaged: a duplicate is better than no notice.
    if (this.#isOwned(file)) return undefined;
    return file.taken;
  }

  /** 0 for no other process. */
  ownedForMs(name: NoticeName): number {
    const file = this.find(name);
    return file !== undefined && this.#isOwned(file) ? OWNED_MS_MAX - this.#ageMs(file) : 0;
  }

  /** Records the accepted targets, and whether this process continues. */
  save(
    notice: Notice & NoticeName,
    { taken, isOver }: { readonly taken: readonly string[]; readonly isOver: boolean },
  ): void {
    const path = this.#pathOf(notice);
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, this.#textOf(notice, { taken, isOver }), { mode: 0o600 });
    renameSync(temporary, path);
  }

  /** By day. */
  list(): readonly NoticeName[] {
    return this.#names().flatMap((name) => {
      const [day = '', kind] = name.split('.');
      const known = NOTICE_KINDS.find((candidate) => candidate === kind);
      return known === undefined || !isDay(day) ? [] : [{ day, kind: known }];
    });
  }

  /** Removes the oldest beyond the limit. */
  removeOld(): void {
    for (const name of this.#names().slice(0, -FILES_MAX)) rmSync(join(this.#folder, name), { force: true });
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => name.endsWith('.json'))
        .sort();
    } catch {
      return []; // No notice yet.
    }
  }

  /** True where this process created the file. */
  #create(notice: Notice & NoticeName): boolean {
    const path = this.#pathOf(notice);
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, this.#textOf(notice, { taken: [], isOver: false }), { mode: 0o600 });
    try {
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if (codeFromError(error) === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Undefined where it is unreadable. */
  find(name: NoticeName): NoticeFile | undefined {
    try {
      return FileSchema.parse(JSON.parse(readFileSync(this.#pathOf(name), 'utf8')));
    } catch {
      return undefined;
    }
  }

  #isOwned(file: NoticeFile): boolean {
    const { owner } = file;
    if (owner === null) return false;
    const at = owner.indexOf('@');
    const [pid, host] = [Number(owner.slice(0, at)), owner.slice(at + 1)];
    return this.#ageMs(file) < OWNED_MS_MAX && (host !== hostname() || isAnotherProcess(pid));
  }

  /** Since the owner's last update; 0 where its clock is ahead of ours. */
  #ageMs({ owned_at }: NoticeFile): number {
    return Math.max(0, this.#clock().getTime() - Date.parse(owned_at));
  }

  #textOf(notice: Notice, { taken, isOver }: { taken: readonly string[]; isOver: boolean }): string {
    const owner = isOver ? null : `${process.pid}@${hostname()}`;
    const file = { notice, owner, owned_at: this.#clock().toISOString(), taken: [...taken] };
    return `${JSON.stringify(file)}\n`;
  }

  #pathOf({ day, kind }: NoticeName): string {
    return join(this.#folder, `${day}.${kind}.json`);
  }
}
