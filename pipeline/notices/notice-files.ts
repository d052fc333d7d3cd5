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
 * What was told, in the folder `notices/` of the work folder: a file `<day>.<kind>.json` for each notice, whichever process tells it.
 *
 * - A file is made whole and in one step that fails where it is there, so of several processes one tells.
 * - Who has taken the notice is written after each of them, so a process that is killed leaves what is still to be sent, and who
 *   comes next goes on. Only a receiver that had taken it in the instant of the kill gets it twice.
 */
const FileSchema = z.object({
  notice: NoticeSchema,
  /** `pid@host` of who is telling it; null when that is over. */
  owner: z.string().nullable(),
  owned_at: z.iso.datetime(),
  /** The targets that have taken it, by their keys. */
  taken: z.array(z.string()),
});
export type NoticeFile = z.infer<typeof FileSchema>;

/** Of which day and kind a notice is: a night has one of each. */
export interface NoticeName {
  readonly day: Day;
  readonly kind: NoticeKind;
}

/**
 * Longer than any sending takes. An owner of whom nobody can tell whether it lives counts as dead then: one of another machine, or of
 * a container that was made anew, which has another name and the same numbers of processes. Smaller: clocks of machines that differ
 * have a notice sent twice. Larger: what such a one had begun is told later.
 */
const OWNED_MS_MAX = SENDING_MS_MAX + 24_000;
/** Some months of bad nights. */
const FILES_KEPT_MAX = 400;

export class NoticeFiles {
  readonly #folder: string;
  readonly #clock: () => Date;

  /** @param workFolder need not exist */
  constructor(workFolder: string, clock: () => Date) {
    this.#folder = join(workFolder, 'notices');
    this.#clock = clock;
  }

  /**
   * Takes it upon this process to tell a notice. Undefined where another process is at it; else who has taken it already. Throws what
   * the file system throws.
   */
  claim(notice: Notice & NoticeName): readonly string[] | undefined {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (this.#create(notice)) return [];
    const file = this.find(notice);
    if (file === undefined) return []; // Damaged: better told twice than not at all.
    if (this.#isOwned(file)) return undefined;
    return file.taken;
  }

  /** For how long a notice is another process's, in milliseconds; 0 where it is nobody's. */
  ownedForMs(name: NoticeName): number {
    const file = this.find(name);
    return file !== undefined && this.#isOwned(file) ? OWNED_MS_MAX - this.#ageMs(file) : 0;
  }

  /** Writes down who has taken it, and whether this process goes on with it. */
  save(
    notice: Notice & NoticeName,
    { taken, isOver }: { readonly taken: readonly string[]; readonly isOver: boolean },
  ): void {
    const path = this.#pathOf(notice);
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, this.#textOf(notice, { taken, isOver }), { mode: 0o600 });
    renameSync(temporary, path);
  }

  /** All that was begun to be told, by day. */
  list(): readonly NoticeName[] {
    return this.#names().flatMap((name) => {
      const [day = '', kind] = name.split('.');
      const known = NOTICE_KINDS.find((candidate) => candidate === kind);
      return known === undefined || !isDay(day) ? [] : [{ day, kind: known }];
    });
  }

  /** Removes the oldest beyond what is kept. */
  tidy(): void {
    for (const name of this.#names().slice(0, -FILES_KEPT_MAX)) rmSync(join(this.#folder, name), { force: true });
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => name.endsWith('.json'))
        .sort();
    } catch {
      return []; // Nothing was told yet.
    }
  }

  /** True where this process has made the file. */
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

  /** What a file that can be read says. */
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

  /** Since the owner last said that it is at it; 0 where its clock is before ours. */
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
