/** A kind of request for a list. */
export interface ListCase {
  readonly name: string;
  /** The path of the nth request. */
  readonly path: (n: number) => string;
}

/** What the generated days hold, as the API tells it. */
interface Values {
  readonly models: readonly string[];
  readonly benchmarks: readonly string[];
}

/** Every filter and every order of the lists, and pages from the middle of them. */
export async function listCases(
  origin: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly ListCase[]> {
  const read = async (path: string) => {
    const response = await fetch(origin + path, { headers });
    if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`);
    return (await response.json()) as Body;
  };
  const values = await readValues(read);
  const middle = async (query: string, sort?: string) => {
    const cursor = await middleCursor(read, query, sort);
    return `/v1/scores?limit=100&${query}&cursor=${cursor}`;
  };
  return [
    ...scoreCases(values),
    await fixed('scores, a page from the middle', (n) => middle(`min_value=${fine(n + 5000)}`)),
    await fixed('scores sort=-value, a page from the middle', (n) =>
      middle(`min_value=${fine(n + 6000)}&sort=-value`, 'value'),
    ),
    ...priceCases(values),
    ...modelCases(values),
    { name: 'rankings?category=N', path: (n) => `/v1/rankings?limit=${1 + (n % 50)}&category=${pick(CATEGORIES, n)}` },
    { name: 'benchmarks?category=N', path: (n) => `/v1/benchmarks?category=c${n}` },
    { name: 'updates?days=N', path: (n) => `/v1/updates?days=${1 + (n % 30)}` },
  ];
}

const CATEGORIES = ['text', 'code', 'vision'];
const SOURCES = ['official', 'independent', 'embeddings-benchmark/results'];

function scoreCases({ models, benchmarks }: Values): readonly ListCase[] {
  const filters: Readonly<Record<string, (n: number) => string>> = {
    'model=N': (n) => `model=${encodeURIComponent(pick(models, n * 7))}`,
    'benchmark=N': (n) => `benchmark=${pick(benchmarks, n)}`,
    'source=unknown N': (n) => `source=nobody-${n}`,
    'source=S&min_value=N': (n) => `source=${encodeURIComponent(pick(SOURCES, n))}&min_value=${fine(n)}`,
    'min_value=N': (n) => `min_value=${fine(n)}`,
    'min_value=N, few': (n) => `min_value=99.9${coarse(n)}`,
    'max_value=N': (n) => `max_value=50.${coarse(n)}`,
    'measured_after=D&min_value=N': (n) => `measured_after=${day(n)}&min_value=${fine(n)}`,
    'measured_before=D&max_value=N': (n) => `measured_before=${day(n)}&max_value=50.${coarse(n)}`,
  };
  const ofScores = Object.entries(filters).map(([name, query]) => scoreCase(name, query));
  const sorted = ['value', '-value', '-measured_at'].flatMap((sort, i) =>
    ['min_value=N', 'benchmark=N', 'source=S&min_value=N', 'source=unknown N', 'model=N'].map((name) =>
      // Other numbers in every order: what meets a filter is counted once.
      scoreCase(`sort=${sort}&${name}`, (n) => `sort=${sort}&${filters[name]?.(n + 1000 * (i + 1))}`),
    ),
  );
  return [...ofScores, ...sorted];
}

function scoreCase(name: string, query: (n: number) => string): ListCase {
  return { name: `scores?${name}`, path: (n) => `/v1/scores?limit=100&${query(n)}` };
}

function priceCases({ models }: Values): readonly ListCase[] {
  const filters: Readonly<Record<string, (n: number) => string>> = {
    'model=N': (n) => `model=${encodeURIComponent(pick(models, n * 7))}`,
    'provider=azure&min_price=N': (n) => `provider=azure&min_price=${fine(n)}`,
    'meter=output&max_price=N': (n) => `meter=output&max_price=20.${coarse(n)}`,
    'min_price=N&max_price=N, few': (n) => `min_price=1.${coarse(n)}&max_price=1.${coarse(n + 50)}`,
  };
  const unsorted = Object.entries(filters).map(([name, query]) => priceCase(name, query));
  const sorted = ['price', '-price', '-updated_at'].map((sort, i) =>
    priceCase(`sort=${sort}&min_price=N`, (n) => `sort=${sort}&min_price=${fine(n + 1000 * (i + 1))}`),
  );
  return [...unsorted, ...sorted];
}

function priceCase(name: string, query: (n: number) => string): ListCase {
  return { name: `pricing?${name}`, path: (n) => `/v1/pricing?limit=100&${query(n)}` };
}

function modelCases({ models }: Values): readonly ListCase[] {
  const filters: Readonly<Record<string, (n: number) => string>> = {
    'q=N': (n) => `q=${n}`,
    'alias=N': (n) => `alias=${encodeURIComponent(`us.${pick(models, n * 7)}`)}`,
    'organization=N': (n) => `organization=Lab%20${n}`,
    'provider=N': (n) => `provider=p${n}`,
    'include=removed&min_context=N': (n) => `include=removed&min_context=${n}`,
    'min_context=N': (n) => `min_context=${n}`,
    'released_after=D&min_context=N': (n) => `released_after=${day(n)}&min_context=${n}`,
    'released_before=D&min_context=N': (n) => `released_before=${day(n)}&min_context=${n}`,
    'max_input_price=N&max_output_price=N': (n) => `max_input_price=5.${coarse(n)}&max_output_price=20.${coarse(n)}`,
  };
  const ofModels = Object.entries(filters).map(([name, query]) => modelCase(name, query));
  const sorts = ['id', 'name', 'release_date', 'context_length', 'updated_at'].flatMap((sort) => [sort, `-${sort}`]);
  const sorted = sorts.map((sort, i) =>
    modelCase(`sort=${sort}&min_context=N`, (n) => `sort=${sort}&min_context=${n + 1000 * (i + 1)}`),
  );
  return [...ofModels, ...sorted];
}

function modelCase(name: string, query: (n: number) => string): ListCase {
  return { name: `models?${name}`, path: (n) => `/v1/models?limit=50&${query(n)}` };
}

/** A case whose paths take requests of their own to be made. */
async function fixed(name: string, path: (n: number) => Promise<string>): Promise<ListCase> {
  const paths: string[] = [];
  for (let n = 0; n < FIXED_PATHS; n += 1) paths.push(await path(n));
  return { name, path: (n) => pick(paths, n) };
}

/** As many as are asked for, so that none is asked for twice. */
const FIXED_PATHS = 144;

interface Body {
  readonly [records: string]: unknown;
  readonly next_cursor: string | null;
}

async function readValues(read: (path: string) => Promise<Body>): Promise<Values> {
  const ids = (body: Body, name: string) => (body[name] as readonly { readonly id: string }[]).map(({ id }) => id);
  const [up, down] = [await read('/v1/models?limit=200'), await read('/v1/models?limit=200&sort=-id')];
  const benchmarks = await read('/v1/benchmarks?limit=200');
  return { models: [...ids(up, 'models'), ...ids(down, 'models')], benchmarks: ids(benchmarks, 'benchmarks') };
}

/**
 * The cursor of a page from the middle of the scores. Paging to it would take thousands of requests, so the first page's is
 * given the place of a score from the middle: a cursor is a hash of eight characters and what the last record is sorted by.
 */
async function middleCursor(read: (path: string) => Promise<Body>, query: string, sort?: string): Promise<string> {
  const { next_cursor: first } = await read(`/v1/scores?limit=1&${query}`);
  const hash = Buffer.from(first ?? '', 'base64url').subarray(0, 8);
  const place = [...(sort === undefined ? [] : ['40.0']), 'google/gemini-2.0-pro-20255001', 'mteb-task-101'];
  return Buffer.concat([hash, Buffer.from(JSON.stringify(place))]).toString('base64url');
}

function pick(values: readonly string[], n: number): string {
  return values[n % values.length] ?? '';
}

/** Another number close to 0 each time: a filter that nearly every score meets. */
function fine(n: number): string {
  return `0.${String(n).padStart(7, '0')}`;
}

function coarse(n: number): string {
  return String(n).padStart(3, '0');
}

function day(n: number): string {
  return `2025-0${3 + (n % 6)}-${String(1 + (n % 28)).padStart(2, '0')}`;
}
