import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type DayRows, writeDay } from '../../support/pipeline/write-day.ts';

/** Rows of each dataset but benchmarks; of so many, ten may be bad. */
export const ROWS = 30;

/** A folder with a good file of each dataset, and ways to spoil them. */
export class Source {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async create(folder: string): Promise<Source> {
    await writeDay(folder, goodRows());
    return new Source(folder);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Uint8Array): Promise<void> {
    return writeFile(this.path(name), content);
  }

  /** Replaces text on a line of a file, 1-based. */
  async editLine(name: string, line: number, edit: (text: string) => string): Promise<void> {
    const lines = (await readFile(this.path(name), 'utf8')).split('\n');
    await this.write(name, lines.map((text, index) => (index === line - 1 ? edit(text) : text)).join('\n'));
  }

  async editAll(name: string, edit: (text: string) => string): Promise<void> {
    const lines = (await readFile(this.path(name), 'utf8')).split('\n');
    await this.write(name, lines.map((text) => (text === '' ? '' : edit(text))).join('\n'));
  }

  /** Replaces the scores by a gzip file whose bytes were changed. */
  async writeGzip(edit: (bytes: Buffer) => Uint8Array): Promise<void> {
    const bytes = gzipSync(await readFile(this.path('scores.jsonl')));
    if (gunzipSync(bytes).length === 0) throw new Error('nothing to compress');
    await this.write('scores.jsonl.gz', edit(bytes));
  }
}

function goodRows(): DayRows {
  const ids = Array.from({ length: ROWS }, (_, index) => `m${index}`);
  return {
    models: ids.map((id) => ({ id, name: `Model ${id}` })),
    benchmarks: [{ id: 'b', name: 'B' }],
    scores: ids.map((model_id, index) => ({ model_id, benchmark_id: 'b', value: index / 10 })),
    rankings: ids.map((model_id, index) => ({ model_id, category: 'c', rank: index + 1 })),
    pricing: ids.map((model_id) => ({ model_id, provider: 'p', input_per_million: 1.5 })),
  };
}
