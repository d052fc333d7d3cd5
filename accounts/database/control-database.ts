import type { Kysely } from 'kysely';
import type { Subscription } from '../../schemas/terms.ts';
import type { UsageStore } from '../quota/usage-store.ts';
import type { ControlTables } from './tables.ts';

/**
 * The port behind which organizations, keys and usage lie (DESIGN §8). Both adapters pass `accounts.contract.ts`.
 *
 * What every adapter guarantees:
 * - What was answered survives kill -9 and a power cut.
 * - Where the database can't be reached or is too slow, calls reject with `unavailable` within the timeouts; nothing is
 *   granted, the process goes on, and later calls try again.
 */
export interface ControlDatabase {
  /** For everything that isn't asked at every request. Its errors are the driver's. */
  readonly kysely: Kysely<ControlTables>;
  readonly usage: UsageStore;
  /** The live key with this SHA-256 or this id; undefined for none, and for a revoked one. */
  findKey(by: KeySelector): Promise<KeyRecord | undefined>;
  /** A number that changes when another process has written, where that costs nothing to know; else always the same. */
  version(): number;
  close(): Promise<void>;
}

export type KeySelector = { readonly hash: string } | { readonly id: string };

/** A live key with what its organization has agreed. */
export interface KeyRecord {
  readonly apiKeyId: string;
  readonly organizationId: string;
  readonly subscription: Subscription;
  readonly verifiedIntegrations: number;
}
