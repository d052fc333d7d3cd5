import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadDay } from './load-day.ts';

describe('a dated folder', () => {
  it('is read file by file; an unreadable line is a row, a file that is not there is missing', () => {
    const root = mkdtempSync(join(tmpdir(), 'oracle-'));
    const folder = join(root, '2026-01-05');
    mkdirSync(folder);
    writeFileSync(join(folder, 'models.jsonl'), '{"id":"a"}\n\n{"id":\n');
    writeFileSync(join(folder, 'scores.jsonl.gz'), gzipSync(''));
    const day = loadDay(folder);
    rmSync(root, { recursive: true });
    expect(day).toMatchObject({ day: '2026-01-05', capturedAt: '2026-01-05T23:59:59Z' });
    expect(day.rows.models).toEqual([{ id: 'a' }, undefined]);
    expect([day.rows.scores, day.rows.pricing]).toEqual([[], undefined]);
  });
});
