import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../runtime/errors.ts';
import { doublingMs } from '../../runtime/retry.ts';
import type { DatasetFile } from '../../schemas/manifest.ts';
import type { SnapshotDownload } from '../answers.ts';
import type { Answer, ModelstatsClient } from '../client.ts';
import { ClientError, NotFoundError } from '../errors.ts';
import { errorFromResponse, readErrorText } from '../read-response.ts';
import { connectionError } from '../send.ts';
import { writeFully } from './json-lines.ts';

export interface DownloadInput {
  readonly client: ModelstatsClient;
  readonly snapshot: string;
  readonly file: DatasetFile;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Downloads a snapshot's file and verifies length and SHA-256 against the manifest; a wrong file is downloaded again. A
 * broken download resumes, with a new URL if the old one expired. Rejects with a {@link ClientError}, or `corrupt` if
 * all downloads were wrong; `not_found` if the snapshot was pruned meanwhile.
 */
export async function downloadFile(input: DownloadInput): Promise<void> {
  const { attemptsMax, retryDelayMsMax } = input.client.settings;
  const download = new Download(input, await open(input.path, 'w'));
  try {
    for (let [failures, reached] = [0, 0]; ; ) {
      const problem = await download.attempt();
      if (problem === undefined) return;
      // An attempt with progress is no failure, even if the connection keeps breaking.
      const isFurther = download.reached >= reached + PROGRESS_BYTES;
      if (isFurther) reached = download.reached;
      failures = isFurther ? 1 : failures + 1;
      if (failures >= attemptsMax) throw problem;
      await sleep(doublingMs(failures, { firstMs: FIRST_DELAY_MS, maxMs: retryDelayMsMax }), undefined, {
        signal: input.signal,
      });
    }
  } finally {
    await download.close();
  }
}

const FIRST_DELAY_MS = 500;
/** Must arrive within the timeout. Smaller: tolerates servers that trickle bytes. Larger: fails on slow lines. */
const PROGRESS_BYTES = 64 * 1024;

function damaged({ snapshot, file, client }: DownloadInput): AppError {
  const message = `${file.name} of snapshot ${snapshot}: ${client.settings.attemptsMax} downloads did not match the manifest`;
  return new AppError('corrupt', message);
}

/** An expired URL or a failing store may pass; a missing file doesn't. */
function isTransient({ status = 0 }: ClientError): boolean {
  return status === 0 || status === 403 || status === 408 || status === 416 || status === 429 || status >= 500;
}

async function urlOf(response: Promise<Answer<SnapshotDownload>>): Promise<string> {
  const { data } = z.object({ url: z.url({ protocol: /^https?$/ }) }).safeParse((await response).body);
  if (data === undefined) throw new AppError('corrupt', 'the service returned no URL for a download');
  return data.url;
}

class Download {
  readonly #input: DownloadInput;
  readonly #output: FileHandle;
  #url: string | undefined;
  #hash = createHash('sha256');
  #bytes = 0;
  reached = 0;

  constructor(input: DownloadInput, output: FileHandle) {
    this.#input = input;
    this.#output = output;
  }

  async close(): Promise<void> {
    await this.#output.close();
  }

  /** One attempt: undefined for success, an error that may pass, or a rejection. */
  async attempt(): Promise<Error | undefined> {
    try {
      return (await this.#fetchRest()) ? undefined : damaged(this.#input);
    } catch (error) {
      if (error instanceof ClientError && isTransient(error)) return error;
      throw error;
    }
  }

  async #fetchRest(): Promise<boolean> {
    const { client, snapshot, file, signal } = this.#input;
    this.#url ??= await urlOf(client.getDownload(snapshot, file.name, { signal }));
    const url = this.#url;
    const { timeoutMs } = client.settings;
    const slow = new AbortController();
    const reason = new Error(`less than ${PROGRESS_BYTES} bytes arrived within ${timeoutMs} ms`);
    const timer = setTimeout(() => slow.abort(reason), timeoutMs);
    try {
      await this.#receive(url, {
        signal: signal === undefined ? slow.signal : AbortSignal.any([slow.signal, signal]),
        onProgress: () => timer.refresh(),
      });
      return await this.#isCorrect();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ClientError) throw error;
      throw connectionError(url, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls `onProgress` for each {@link PROGRESS_BYTES}. */
  async #receive(
    url: string,
    { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: () => void },
  ): Promise<void> {
    const response = await fetch(url, {
      headers: this.#bytes === 0 ? {} : { Range: `bytes=${this.#bytes}-` },
      signal,
    });
    if (!response.ok) await this.#refuse(response);
    if (response.headers.get('content-range')?.startsWith(`bytes ${this.#bytes}-`) !== true) this.#restart();
    let reported = this.#bytes;
    for await (const chunk of response.body ?? []) {
      await this.#write(chunk);
      if (this.#bytes < reported + PROGRESS_BYTES) continue;
      onProgress();
      reported = this.#bytes;
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (this.#bytes + chunk.length > this.#input.file.bytes) {
      this.#restart();
      throw new Error('more bytes arrived than the file has');
    }
    await writeFully(this.#output, chunk, this.#bytes);
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    this.reached = Math.max(this.reached, this.#bytes);
    this.#input.onBytes?.(this.#bytes);
  }

  async #isCorrect(): Promise<boolean> {
    const { bytes, sha256 } = this.#input.file;
    if (this.#bytes < bytes) throw new Error(`the download ended after ${this.#bytes} of ${bytes} bytes`);
    if (this.#hash.digest('hex') === sha256) {
      await this.#output.sync();
      return true;
    }
    this.#restart();
    this.#url = undefined;
    return false;
  }

  /** The URL may have expired, so the next attempt requests another. An unavailable range restarts the download. */
  async #refuse(response: Response): Promise<never> {
    this.#url = undefined;
    if (response.status === 416) this.#restart();
    const error = errorFromResponse(response.status, response.headers, await readErrorText(response));
    if (response.status !== 404) throw error;
    // Pruned since the URL was issued.
    throw new NotFoundError(error.message, { code: 'not_found', status: 404, param: 'snapshot_id' }, { cause: error });
  }

  #restart(): void {
    this.#hash = createHash('sha256');
    this.#bytes = 0;
  }
}
