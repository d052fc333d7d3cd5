import type { Window } from './window.ts';

/** Counts hits by name over the last 60 seconds. Adapters: this process's memory, or Redis for all replicas together. */
export interface WindowCounter {
  /** Counts one hit in this Unix second and tells the window that ends in it; the hit itself is always counted. */
  hit(name: string, second: number): Promise<Window>;
  close(): Promise<void>;
}
