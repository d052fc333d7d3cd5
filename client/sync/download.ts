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
  /** The snapshot's id. */
  readonly snapshot: string;
  /** What its manifest says of the file. */
  readonly file: DatasetFile;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  /** Told how many bytes are there. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Downloads a snapshot's file and proves it by length and SHA-256 against the manifest; where it is not the one that was
 * published, it is downloaded again. What broke goes on where it was, with a new address where the old one has expired. Rejects
 * with a {@link ClientError}, or `corrupt` where it never was the right file; `not_found` is a snapshot that was pruned meanwhile.
 */
export async function downloadFile(input: DownloadInput): Promise<void> {
  const { attemptsMax, retryDelayMsMax } = input.client.settings;
  const download = new Download(input, await open(input.path, 'w'));
  try {
    for (let [failures, reached] = [0, 0]; ; ) {
      const problem = await download.goOn();
      if (problem === undefined) return;
      // What got further than the tries before was no failure, as long as the connection breaks again and again.
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
/** What has to arrive within the time. Smaller: a server that sends now and then a byte is waited for; larger: slow lines are given up. */
const PROGRESS_BYTES = 64 * 1024;

function damaged({ snapshot, file, client }: DownloadInput): AppError {
  const message = `${file.name} of snapshot ${snapshot}: ${client.settings.attemptsMax} downloads were not what the manifest says`;
  return new AppError('corrupt', message);
}

/** An address that has expired, or a store that fails, is worth another try; a file that isn't there is not. */
function mayPass({ status = 0 }: ClientError): boolean {
  return status === 0 || status === 403 || status === 408 || status === 416 || status === 429 || status >= 500;
}

async function addressOf(asked: Promise<Answer<SnapshotDownload>>): Promise<string> {
  const { data } = z.object({ url: z.url({ protocol: /^https?$/ }) }).safeParse((await asked).body);
  if (data === undefined) throw new AppError('corrupt', 'the service answered a download without an address');
  return data.url;
}

/** A file that is on its way. */
class Download {
  readonly #input: DownloadInput;
  readonly #output: FileHandle;
  #address: string | undefined;
  #hash = createHash('sha256');
  #bytes = 0;
  /** The most bytes that were ever there. */
  reached = 0;

  constructor(input: DownloadInput, output: FileHandle) {
    this.#input = input;
    this.#output = output;
  }

  async close(): Promise<void> {
    await this.#output.close();
  }

  /** One try: undefined where the file is there and right, else why another one may help; rejects where none would. */
  async goOn(): Promise<Error | undefined> {
    try {
      return (await this.#fetchRest()) ? undefined : damaged(this.#input);
    } catch (error) {
      if (error instanceof ClientError && mayPass(error)) return error;
      throw error;
    }
  }

  /** Resolves to whether the file is the right one. */
  async #fetchRest(): Promise<boolean> {
    const { client, snapshot, file, signal } = this.#input;
    this.#address ??= await addressOf(client.getDownload(snapshot, file.name, { signal }));
    const url = this.#address;
    const { timeoutMs } = client.settings;
    const slow = new AbortController();
    const reason = new Error(`less than ${PROGRESS_BYTES} bytes arrived within ${timeoutMs} ms`);
    const timer = setTimeout(() => slow.abort(reason), timeoutMs);
    try {
      await this.#receive(url, {
        signal: signal === undefined ? slow.signal : AbortSignal.any([slow.signal, signal]),
        onProgress: () => timer.refresh(),
      });
      return await this.#isRight();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ClientError) throw error;
      throw connectionError(url, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Writes what comes of the rest; `onProgress` is called whenever {@link PROGRESS_BYTES} more are there. */
  async #receive(
    url: string,
    { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: () => void },
  ): Promise<void> {
    const response = await fetch(url, {
      headers: this.#bytes === 0 ? {} : { Range: `bytes=${this.#bytes}-` },
      signal,
    });
    if (!response.ok) await this.#refuse(response);
    if (response.headers.get('content-range')?.startsWith(`bytes ${this.#bytes}-`) !== true) this.#beginAnew();
    let told = this.#bytes;
    for await (const chunk of response.body ?? []) {
      await this.#write(chunk);
      if (this.#bytes < told + PROGRESS_BYTES) continue;
      onProgress();
      told = this.#bytes;
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (this.#bytes + chunk.length > this.#input.file.bytes) {
      this.#beginAnew();
      throw new Error('more bytes arrived than the file has');
    }
    await writeFully(this.#output, chunk, this.#bytes);
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    this.reached = Math.max(this.reached, this.#bytes);
    this.#input.onBytes?.(this.#bytes);
  }

  async #isRight(): Promise<boolean> {
    const { bytes, sha256 } = this.#input.file;
    if (this.#bytes < bytes) throw new Error(`it ended after ${this.#bytes} of ${bytes} bytes`);
    if (this.#hash.digest('hex') === sha256) {
      await this.#output.sync();
      return true;
    }
    this.#beginAnew();
    this.#address = undefined;
    return false;
  }

  /** The address may have expired: the next try has another. A range that can't be had: from the beginning. */
  async #refuse(response: Response): Promise<never> {
    this.#address = undefined;
    if (response.status === 416) this.#beginAnew();
    const error = errorFromResponse(response.status, response.headers, await readErrorText(response));
    if (response.status !== 404) throw error;
    // Pruned since the address was given: as if the snapshot were gone.
    throw new NotFoundError(error.message, { code: 'not_found', status: 404, param: 'snapshot_id' }, { cause: error });
  }

  #beginAnew(): void {
    this.#hash = createHash('sha256');
    this.#bytes = 0;
  }
}
