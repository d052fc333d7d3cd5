import { execFileSync } from 'node:child_process';
import { mkdir, open, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { ROWS, type Source } from './good-source.ts';

/** A way to spoil a source, and what the night has to say of it. */
export interface BadSource {
  readonly title: string;
  readonly spoil: (source: Source) => Promise<unknown>;
  /** Parts of the message: what is wrong, and where. */
  readonly says: readonly (string | RegExp)[];
}

const LINE_BYTES_MAX = 4 * 1024 * 1024;
const HUGE_BYTES = 200_000_000;

/** Removes the scores' file and writes another in its place. */
async function replaceScores(source: Source, name: string, content: string | Uint8Array): Promise<void> {
  await rm(source.path('scores.jsonl'));
  await source.write(name, content);
}

function compressed(source: Source, edit: (bytes: Buffer) => Uint8Array): Promise<void> {
  return source.writeGzip(edit).then(() => rm(source.path('scores.jsonl')));
}

/** A file of one line that is longer than any; sparse, so that it takes no disk. */
async function writeHugeLine(source: Source, name: string, start: string): Promise<void> {
  await replaceScores(source, name, start);
  const file = await open(source.path(name), 'r+');
  await file.truncate(HUGE_BYTES);
  await file.close();
}

const GZIP: readonly BadSource[] = [
  {
    title: 'a truncated gzip file',
    spoil: (source) => compressed(source, (bytes) => bytes.subarray(0, 60)),
    says: ['scores.jsonl.gz: the gzip file is cut off'],
  },
  {
    title: 'a damaged gzip file',
    spoil: (source) => compressed(source, (bytes) => bytes.map((byte, at) => (at === 40 ? byte ^ 0xff : byte))),
    says: ['scores.jsonl.gz: the gzip file is damaged'],
  },
  {
    title: 'a gzip file with a wrong checksum',
    spoil: (source) => compressed(source, (bytes) => bytes.fill(0, bytes.length - 8, bytes.length - 4)),
    says: ['scores.jsonl.gz: the gzip file is damaged'],
  },
  {
    title: 'a gzip file under the name of a plain one',
    spoil: async (source) => {
      await source.writeGzip((bytes) => bytes);
      await replaceScores(source, 'scores.jsonl', await readFile(source.path('scores.jsonl.gz')));
      await rm(source.path('scores.jsonl.gz'));
    },
    says: ['scores.jsonl: is gzip; its name should end in .gz'],
  },
];

const LINES: readonly BadSource[] = [
  {
    title: 'a line that is not JSON',
    spoil: (source) => source.editLine('scores.jsonl', 7, (line) => line.replace('"value"', 'value')),
    says: ['scores.jsonl line 7: is not valid JSON'],
  },
  {
    title: 'a line that is cut off',
    spoil: (source) => source.editLine('scores.jsonl', ROWS, (line) => line.slice(0, -4)),
    says: [`scores.jsonl line ${ROWS}: is not valid JSON`],
  },
  {
    title: 'a line that is a list',
    spoil: (source) => source.editLine('scores.jsonl', 7, () => '[1, 2]'),
    says: ['scores.jsonl line 7: is not a JSON object'],
  },
  {
    title: 'a line that has a key twice',
    spoil: (source) => source.editLine('scores.jsonl', 7, (line) => line.replace('}', ', "value": 3}')),
    says: ['scores.jsonl line 7: has the key "value" twice'],
  },
  {
    title: 'a missing column',
    spoil: (source) => source.editAll('scores.jsonl', (line) => line.replace('"value"', '"vallue"')),
    says: ['scores.jsonl (scores): the column value is missing; it has the unknown vallue'],
  },
  {
    title: 'a page of HTML',
    spoil: (source) => source.write('scores.jsonl', '<html>502</html>\n'),
    says: ['scores.jsonl line 1: is not valid JSON'],
  },
  {
    title: 'JSON that is no array',
    spoil: (source) => replaceScores(source, 'scores.json', '{"data": []}'),
    says: ['scores.json: is not a JSON array'],
  },
  {
    title: 'JSON that is cut off',
    spoil: (source) => replaceScores(source, 'scores.json', '[{"model_id":"m0",\n"benchmark_id":"b","va'),
    says: [/scores\.json: .*unexpected end of data/],
  },
  {
    title: 'a CSV line with a field too few',
    spoil: (source) => replaceScores(source, 'scores.csv', 'model_id,benchmark_id,value\nm0,b,1\nm1,b\n'),
    says: ['scores.csv line 3: has 2 fields, the header 3'],
  },
  {
    title: 'a CSV value whose quotes never close',
    spoil: (source) => replaceScores(source, 'scores.csv', 'model_id,benchmark_id,value\nm0,b,1\n"m1,b,3\n'),
    says: ['scores.csv line 3: has a quoted value that does not end'],
  },
  {
    title: 'a Parquet file that is none',
    spoil: (source) => replaceScores(source, 'scores.parquet', 'PAR1 and then some text, but no footer'),
    says: ['scores.parquet: is not a Parquet file'],
  },
];

const ENCODINGS: readonly BadSource[] = [
  {
    title: 'UTF-16 with a byte order mark',
    spoil: (source) => source.write('scores.jsonl', Buffer.from('\ufeff{"model_id":"m0"}\n', 'utf16le')),
    says: ['scores.jsonl: is not UTF-8 (it looks like UTF-16)'],
  },
  {
    title: 'UTF-16 without one',
    spoil: (source) => source.write('scores.jsonl', Buffer.from('{"model_id":"m0"}\n', 'utf16le')),
    says: ['scores.jsonl: is not UTF-8 (it looks like UTF-16)'],
  },
  {
    title: 'JSON Lines in Latin-1',
    spoil: (source) =>
      source.write('models.jsonl', Buffer.from('{"id":"a","name":"A"}\n{"id":"b","name":"M\u00e9"}\n', 'latin1')),
    says: ['models.jsonl line 2: is not UTF-8'],
  },
  {
    title: 'CSV in Latin-1',
    spoil: async (source) => {
      await rm(source.path('models.jsonl'));
      await source.write('models.csv', Buffer.from('id,name\na,A\nb,M\u00e9\n', 'latin1'));
    },
    says: ['models.csv line 3: is not UTF-8'],
  },
  {
    title: 'a byte order mark',
    spoil: (source) => source.editLine('models.jsonl', 1, (line) => `\ufeff${line}`),
    says: ['models.jsonl: starts with a byte order mark; save it as UTF-8 without one'],
  },
];

const SIZES: readonly BadSource[] = [
  {
    title: 'a JSON line of 200 MB',
    spoil: (source) => writeHugeLine(source, 'scores.jsonl', '{"model_id": "'),
    says: [`scores.jsonl line 1: is longer than ${LINE_BYTES_MAX} bytes`],
  },
  {
    title: 'a JSON record of 200 MB',
    spoil: (source) => writeHugeLine(source, 'scores.json', '[{"model_id": "'),
    says: [/scores\.json/],
  },
];

const VALUES: readonly BadSource[] = [
  {
    title: 'wrong types in too many rows',
    spoil: (source) => source.editAll('scores.jsonl', (line) => line.replace(/"value":[\d.]+/, '"value":"high"')),
    says: [
      'scores: 30 of 30 rows are bad, 10 are allowed: 30 × value: is not a number (the first in scores.jsonl line 1: "high")',
    ],
  },
  {
    title: 'NaN in too many rows',
    spoil: (source) => source.editAll('scores.jsonl', (line) => line.replace(/"value":[\d.]+/, '"value":NaN')),
    says: [
      'scores: 30 of 30 rows are bad',
      '30 × value: is not a finite number (the first in scores.jsonl line 1: "NaN")',
    ],
  },
  {
    title: 'Infinity in too many rows of a CSV file',
    spoil: (source) => {
      const rows = Array.from({ length: ROWS }, (_, index) => `m${index},b,-Infinity\n`);
      return replaceScores(source, 'scores.csv', `model_id,benchmark_id,value\n${rows.join('')}`);
    },
    says: [
      'scores: 30 of 30 rows are bad',
      '30 × value: is not a finite number (the first in scores.csv line 2: "-Infinity")',
    ],
  },
];

const FILES: readonly BadSource[] = [
  {
    title: 'an empty folder',
    spoil: async (source) => {
      for (const name of await readdir(source.folder)) await rm(source.path(name));
    },
    says: [/src-\d+ has no data: expected one of models\.jsonl/],
  },
  {
    title: 'two files for one dataset',
    spoil: (source) => source.writeGzip((bytes) => bytes),
    says: ['scores.jsonl and scores.jsonl.gz both hold scores; keep one'],
  },
  {
    title: 'a link to nowhere',
    spoil: async (source) => {
      await rm(source.path('scores.jsonl'));
      await symlink('/nowhere', source.path('scores.jsonl'));
    },
    says: ['scores.jsonl: points to nothing'],
  },
  {
    title: 'a folder that has the name of a file',
    spoil: async (source) => {
      await rm(source.path('scores.jsonl'));
      await mkdir(source.path('scores.jsonl'));
    },
    says: ['scores.jsonl: is not a regular file'],
  },
  {
    title: 'a pipe that nobody writes into',
    spoil: async (source) => {
      await rm(source.path('scores.jsonl'));
      execFileSync('mkfifo', [source.path('scores.jsonl')]);
    },
    says: ['scores.jsonl: is not a regular file'],
  },
  {
    title: 'a folder whose name is no calendar day',
    spoil: (source) => mkdir(source.path('2025-13-01')),
    says: [/src-\d+: 2025-13-01 is not a calendar day/],
  },
];

const SETTINGS: readonly BadSource[] = [
  {
    title: 'source.json with a wrong and an unknown key',
    spoil: (source) => source.write('source.json', '{"max_shrink": "a lot", "max_shrnk": 1}'),
    says: [/source\.json: max_shrink: .*number/, 'Unrecognized key: "max_shrnk"'],
  },
  {
    title: 'source.json with the price range the wrong way round',
    spoil: (source) => source.write('source.json', '{"price_range": [10000, 0.0001]}'),
    says: [/source\.json: price_range: the lowest comes first/],
  },
  {
    title: 'source.json that is not JSON',
    spoil: (source) => source.write('source.json', '{max_shrink: 1}'),
    says: [/source\.json is not JSON/],
  },
  ...sqlCases([
    ['a syntax error', '-- models\n\nSELEC 1;', /source\.sql line 3 \(models\): syntax error at or near "SELEC"/],
    ['no statement', '-- models\n-- later\n', /line 1 \(models\): expected one SELECT, found none/],
    ['an unknown dataset', '-- prices\nSELECT 1;', /source\.sql maps no dataset: .*-- pricing/],
    ['an unknown column', "-- models\nSELECT idd FROM 'models.jsonl'", /line 2 \(models\): Referenced column "idd"/],
    ['a dataset twice', '-- models\nSELECT 1;\n-- models\nSELECT 2;', /line 3 \(models\): models stands twice/],
    ['a missing column', '-- models\nSELECT 1 AS id;', /source\.sql \(models\): the column name is missing/],
  ]),
  {
    title: 'source.sql in Latin-1',
    spoil: (source) => source.write('source.sql', Buffer.from("-- models\nSELECT 'M\u00e9' AS id;", 'latin1')),
    says: [/source\.sql: is not UTF-8/],
  },
];

function sqlCases(cases: readonly (readonly [string, string, RegExp])[]): readonly BadSource[] {
  return cases.map(([title, sql, message]) => ({
    title: `source.sql with ${title}`,
    spoil: (source) => source.write('source.sql', sql),
    says: [message],
  }));
}

export const BAD_SOURCES = [
  ...GZIP,
  ...LINES,
  ...ENCODINGS,
  ...SIZES,
  ...VALUES,
  ...FILES,
  ...SETTINGS,
] satisfies readonly BadSource[];
