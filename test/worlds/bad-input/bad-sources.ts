import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { ROWS, type Source } from './good-source.ts';

/** A way to spoil a source, and what the night has to say of it. */
interface BadSource {
  readonly title: string;
  readonly spoil: (source: Source) => Promise<unknown>;
  /** Parts of the message: what is wrong, and where. */
  readonly says: readonly (string | RegExp)[];
}

type Says = string | RegExp;
type Content = string | Uint8Array;

const LINE_BYTES_MAX = 4 * 1024 * 1024;
const HUGE_BYTES = 200_000_000;

function bad(title: string, spoil: BadSource['spoil'], ...says: readonly Says[]): BadSource {
  return { title, spoil, says };
}

async function replaceScores(source: Source, name: string, content: Content): Promise<void> {
  await rm(source.path('scores.jsonl'));
  await source.write(name, content);
}

function scores(title: string, [name, content]: readonly [string, Content], ...says: readonly Says[]): BadSource {
  return bad(title, (source) => replaceScores(source, name, content), ...says);
}

function file(title: string, [name, content]: readonly [string, Content], ...says: readonly Says[]): BadSource {
  return bad(title, (source) => source.write(name, content), ...says);
}

function gzip(title: string, edit: (bytes: Buffer) => Uint8Array, says: Says): BadSource {
  return bad(title, (source) => source.writeGzip(edit).then(() => rm(source.path('scores.jsonl'))), says);
}

function line(title: string, [number, edit]: readonly [number, (text: string) => string], says: Says): BadSource {
  return bad(title, (source) => source.editLine('scores.jsonl', number, edit), says);
}

function lines(title: string, edit: (text: string) => string, ...says: readonly Says[]): BadSource {
  return bad(title, (source) => source.editAll('scores.jsonl', edit), ...says);
}

/** A file of one line that is longer than any; sparse, so that it takes no disk. */
function hugeLine(title: string, [name, start]: readonly [string, string], says: Says): BadSource {
  return bad(
    title,
    async (source) => {
      await replaceScores(source, name, start);
      const sparse = await open(source.path(name), 'r+');
      await sparse.truncate(HUGE_BYTES);
      await sparse.close();
    },
    says,
  );
}

function sql(title: string, text: Content, says: Says): BadSource {
  return file(`source.sql ${title}`, ['source.sql', text], says);
}

const CSV = 'model_id,benchmark_id,value\nm0,b,1\n';
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

export const BAD_SOURCES: readonly BadSource[] = [
  gzip('a truncated gzip file', (bytes) => bytes.subarray(0, 60), 'scores.jsonl.gz: the gzip file is cut off'),
  gzip(
    'a gzip file with a wrong checksum',
    (bytes) => bytes.fill(0, bytes.length - 8, bytes.length - 4),
    'scores.jsonl.gz: the gzip file is damaged',
  ),
  bad(
    'a gzip file under the name of a plain one',
    async (source) => {
      await source.writeGzip((bytes) => bytes);
      await replaceScores(source, 'scores.jsonl', await readFile(source.path('scores.jsonl.gz')));
      await rm(source.path('scores.jsonl.gz'));
    },
    'scores.jsonl: is gzip; its name should end in .gz',
  ),

  line(
    'a line that is not JSON',
    [7, (text) => text.replace('"value"', 'value')],
    'scores.jsonl line 7: is not valid JSON',
  ),
  line('a line that is cut off', [ROWS, (text) => text.slice(0, -4)], `scores.jsonl line ${ROWS}: is not valid JSON`),
  line('a line that is a list', [7, () => '[1, 2]'], 'scores.jsonl line 7: is not a JSON object'),
  line(
    'a line that has a key twice',
    [7, (text) => text.replace('}', ', "value": 3}')],
    'scores.jsonl line 7: has the key "value" twice',
  ),
  lines(
    'a missing column',
    (text) => text.replace('"value"', '"vallue"'),
    'scores.jsonl (scores): the column value is missing; it has the unknown vallue',
  ),
  file('a page of HTML', ['scores.jsonl', '<html>502</html>\n'], 'scores.jsonl line 1: is not valid JSON'),
  scores('JSON that is no array', ['scores.json', '{"data": []}'], 'scores.json: is not a JSON array'),
  scores(
    'JSON that is cut off',
    ['scores.json', '[{"model_id":"m0",\n"benchmark_id":"b","va'],
    /scores\.json: .*unexpected end of data/,
  ),
  scores(
    'a CSV line with a field too few',
    ['scores.csv', `${CSV}m1,b\n`],
    'scores.csv line 3: has 2 fields, the header 3',
  ),
  scores(
    'a CSV value whose quotes never close',
    ['scores.csv', `${CSV}"m1,b,3\n`],
    'scores.csv line 3: has an unterminated quoted value',
  ),
  scores(
    'a Parquet file that is none',
    ['scores.parquet', 'PAR1 and then some text, but no footer'],
    'scores.parquet: is not a Parquet file',
  ),

  file(
    'UTF-16 with a byte order mark',
    ['scores.jsonl', utf16('\ufeff{"model_id":"m0"}\n')],
    'scores.jsonl: is not UTF-8 (it looks like UTF-16)',
  ),
  file(
    'UTF-16 without one',
    ['scores.jsonl', utf16('{"model_id":"m0"}\n')],
    'scores.jsonl: is not UTF-8 (it looks like UTF-16)',
  ),
  file(
    'JSON Lines in Latin-1',
    ['models.jsonl', latin1('{"id":"a","name":"A"}\n{"id":"b","name":"M\u00e9"}\n')],
    'models.jsonl line 2: is not UTF-8',
  ),
  scores('CSV in Latin-1', ['scores.csv', latin1(`${CSV}M\u00e9,b,2\n`)], 'scores.csv line 3: is not UTF-8'),
  line(
    'a byte order mark',
    [1, (text) => `\ufeff${text}`],
    'scores.jsonl: starts with a byte order mark; save it as UTF-8 without one',
  ),

  hugeLine(
    'a JSON line of 200 MB',
    ['scores.jsonl', '{"model_id": "'],
    `scores.jsonl line 1: is longer than ${LINE_BYTES_MAX} bytes`,
  ),
  hugeLine('a JSON record of 200 MB', ['scores.json', '[{"model_id": "'], /scores\.json/),

  lines(
    'wrong types in too many rows',
    (text) => text.replace(/"value":[\d.]+/, '"value":"high"'),
    'scores: 30 of 30 rows are bad, 10 are allowed: 30 × value: is not a number (the first in scores.jsonl line 1: "high")',
  ),
  bad(
    'an empty folder',
    async (source) => {
      for (const name of await readdir(source.folder)) await rm(source.path(name));
    },
    /src-\d+ has no data: expected one of models\.jsonl/,
  ),
  bad(
    'a folder whose name is no calendar day',
    (source) => mkdir(source.path('2025-13-01')),
    /src-\d+: 2025-13-01 is not a calendar day/,
  ),
  file('source.json that is not JSON', ['source.json', '{max_shrink: 1}'], /source\.json is not JSON/),
  sql('with a syntax error', '-- models\n\nSELEC 1;', /source\.sql line 3 \(models\): syntax error at or near "SELEC"/),
  sql('with no statement', '-- models\n-- later\n', /line 1 \(models\): expected one SELECT, found none/),
  sql('with an unknown dataset', '-- prices\nSELECT 1;', /source\.sql maps no dataset: .*-- pricing/),
  sql(
    'with an unknown column',
    "-- models\nSELECT idd FROM 'models.jsonl'",
    /line 2 \(models\): Referenced column "idd"/,
  ),
  sql('with a dataset twice', '-- models\nSELECT 1;\n-- models\nSELECT 2;', /line 3 \(models\): models appears twice/),
  sql('with a missing column', '-- models\nSELECT 1 AS id;', /source\.sql \(models\): the column name is missing/),
  sql('in Latin-1', latin1("-- models\nSELECT 'M\u00e9' AS id;"), /source\.sql: is not UTF-8/),
];
