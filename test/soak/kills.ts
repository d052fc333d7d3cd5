import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { openDatabase } from '../../api/database/open-database.ts';
import type { Database } from '../../storage/duckdb/database.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { Customer } from '../support/accounts/subject.ts';
import type { RunningCli } from '../support/processes/cli.ts';
import type { Target } from '../support/processes/target.ts';
import type { Chooser } from '../support/random.ts';

export interface World {
  readonly folder: string;
  readonly target: Target;
  readonly store: ObjectStore;
  readonly storeFolder: string;
  readonly database: string;
  readonly reader: Database;
  /** Whose key the server is asked with, and who is notified of what changed. */
  readonly customer: Customer;
}

/** How one part is killed, and the settings of its processes. */
export interface PartOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly kills: Kills;
  readonly chooser: Chooser;
}

/** The kills of one run: how many a lane still has, and how many there were. */
export class Kills {
  readonly name: string;
  readonly #wanted: number;
  readonly #onKill: () => void;
  done = 0;

  constructor(name: string, wanted: number, onKill: () => void) {
    this.name = name;
    this.#wanted = wanted;
    this.#onKill = onKill;
  }

  get areLeft(): boolean {
    return this.done < this.#wanted;
  }

  count(): void {
    this.done += 1;
    this.#onKill();
  }
}

/** Kills a process after a random time, unless it ends by itself before; says whether it was killed. */
export async function killWithin(cli: RunningCli, msMax: number, chooser: Chooser): Promise<boolean> {
  const limit = new AbortController();
  await Promise.race([sleep(chooser.integer(0, msMax), undefined, { signal: limit.signal }), cli.ended]);
  limit.abort();
  cli.child.kill('SIGKILL');
  return (await cli.ended).signal === 'SIGKILL';
}

/** What was acknowledged, and what is found in the end. */
export type Check = ReturnType<typeof compareCounts>;

/** {@link Check} of two counts that have to be the same. */
export function compareCounts(what: string, acknowledged: number, counted: number, remark = '') {
  return { what, acknowledged, counted, holds: acknowledged === counted, remark };
}

export async function withControl<T>(address: string, work: (control: ControlDatabase) => Promise<T>): Promise<T> {
  const control = await openDatabase(address);
  try {
    return await work(control);
  } finally {
    await control.close();
  }
}

/** A part of the product that is killed over and over while the others run. */
export interface Lane {
  readonly kills: Kills;
  /** Until none of its kills is left. */
  readonly run: () => Promise<void>;
  /** Lets what was killed come to its end, undisturbed, and compares. */
  readonly finish: () => Promise<readonly Check[]>;
  readonly close?: () => Promise<void>;
}
