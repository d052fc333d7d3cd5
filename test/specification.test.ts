import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLAN_NAMES, PLANS } from '../api/accounts/organizations/plans.ts';
import { API_ERRORS } from '../api/data/api-errors.ts';
import { configFromEnv } from '../bin/config/config.ts';
import { STAGES } from '../pipeline/night/night.ts';
import { SettingsFileSchema } from '../pipeline/source/source-settings.ts';
import { ERROR_CODES } from '../runtime/errors.ts';
import { RETENTION } from '../schemas/retention.ts';
import { sectionOf, tableRowsOf } from './support/documents/markdown.ts';
import { ROOT } from './support/documents/text-files.ts';
import { MAY_IMPORT } from './support/may-import.ts';

const specification = readFileSync(join(ROOT, 'docs/specification.md'), 'utf8');
const architecture = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** The rows of a section's tables, without the heads' own. */
function rowsOf(title: string, text = specification): readonly (readonly string[])[] {
  const section = sectionOf(text, title);
  if (section === undefined) throw new Error(`there is no section ${title}`);
  return tableRowsOf(section);
}

/** What stands between backticks. */
function namesIn(text: string | undefined): readonly string[] {
  return [...(text ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

describe('docs/specification.md says what the code says', () => {
  test('every stage of a night, in order', () => {
    const [, ...rows] = rowsOf('Stages of a night');
    expect(rows.map(([stage]) => stage)).toEqual(STAGES);
  });

  test('every error code of the API with its status', () => {
    const told = rowsOf('Error codes')
      .slice(1)
      .map(([status, code]) => [Number(status), namesIn(code)[0]]);
    expect(told).toEqual(Object.entries(API_ERRORS).map(([code, { status }]) => [status, code]));
  });

  test('every error code of the command line with its exit code', () => {
    const told = rowsOf('Exit codes').flatMap(([exit, , cell]) => namesIn(cell).map((code) => [code, Number(exit)]));
    const codes = Object.entries(ERROR_CODES).map(([code, { exit }]) => [code, exit]);
    expect(new Set(told.map(String))).toEqual(new Set(codes.map(String)));
  });

  test('every limit of a source with its default', () => {
    const told = rowsOf('Source settings').slice(1);
    const defaults = Object.entries(SettingsFileSchema.parse({}));
    const names = told.flatMap(([keys]) => namesIn(keys));
    expect(new Set(names)).toEqual(new Set(Object.keys(SettingsFileSchema.shape)));
    const values = told.map(([, value]) => value).join('; ');
    for (const [, value] of defaults) expect(values).toContain(textOf(value));
  });

  test('what every plan grants, what it costs, and its attribution, redistribution and support', () => {
    const rows = rowsOf('Plans');
    const plans = PLAN_NAMES.map((name) => PLANS[name]);
    const amount = (value: number | null) => (value === null ? 'unlimited' : value.toLocaleString('en-US'));
    const cost = (usd: number | null) => (usd === null ? 'contract' : `${usd} USD a month`).replace(/^0 .*/, 'free');
    const expected = {
      'units a day': plans.map(({ dailyQuota }) => amount(dailyQuota)),
      'requests a minute': plans.map(({ burstPerMinute }) => amount(burstPerMinute)),
      'price, without tax': plans.map(({ pricePerMonthUsd }) => cost(pricePerMonthUsd)),
      attribution: plans.map((plan) => (plan.attributionRequired ? 'required for public display' : 'not required')),
      redistribution: plans.map(({ redistributionAllowed }) => (redistributionAllowed ? 'yes' : 'no')),
      support: plans.map(({ support }) => support),
    };
    const cells = Object.fromEntries(rows.map(([name = '', ...others]) => [name, others]));
    expect(cells).toMatchObject(expected);
    expect(cells['features']?.map(namesIn)).toEqual(plans.map(({ features }) => features));
    const months = cells['history']?.map((cell) => Number(/(\d+) months/.exec(cell)?.[1]));
    expect(months).toEqual(plans.map(({ historyMonths }) => historyMonths));
  });

  test('the limits of queries and of source files that hold unless set', () => {
    const cell = (what: string) => rowsOf('Service limits').find(([first]) => first === what)?.[1];
    const { queries, source } = configFromEnv({});
    const [seconds, waiting] = [queries.queryTimeoutMs / 1000, queries.queriesWaitingMax];
    expect(cell('one long query')).toBe(
      `${seconds} seconds; ${queries.queriesMax} at once, ${waiting} waiting, then 503`,
    );
    const [mebibytes, gibibytes] = [source.lineBytesMax / 1024 ** 2, source.fileBytesMax / 1024 ** 3];
    expect(cell('line, and file, of a source')).toBe(`${mebibytes} MiB, ${gibibytes} GiB unpacked`);
  });

  test('how long everything is kept', () => {
    const kept = Object.fromEntries(
      rowsOf('Retention').map(([part = '', time = '']) => [part, Number.parseInt(time.replace(/^\D+/, ''), 10)]),
    );
    expect(kept).toMatchObject({
      changes: RETENTION.changesMonths,
      snapshots: RETENTION.snapshots,
      state: RETENTION.states,
    });
  });
});

test('docs/architecture.md shows the direction of imports as test/support/may-import.ts tells it', () => {
  const told = rowsOf('Folders', architecture).slice(1);
  const rooms = told.map(([folder, , allowed]) => [namesIn(folder)[0]?.replace(/\/$/, ''), namesIn(allowed)]);
  expect(Object.fromEntries(rooms)).toEqual(MAY_IMPORT);
  expect(Object.keys(MAY_IMPORT).filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
});

function textOf(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
}
