import { expect, test } from 'vitest';
import { configFromEnv } from './config.ts';

test('every wrong and every unknown setting is named at once', () => {
  const env = { MODELSTATS_THREADS: 'many', MODELSTATS_MEMORY_LIMIT: 'lots', MODELSTATS_STROE: 'file:x' };
  expect(() => configFromEnv(env)).toThrow(/MODELSTATS_THREADS/);
  expect(() => configFromEnv(env)).toThrow(/MODELSTATS_MEMORY_LIMIT/);
  expect(() => configFromEnv(env)).toThrow(/MODELSTATS_STROE is not a setting/);
});

test("the AWS tools' own variable names the S3 server where ours doesn't", () => {
  const usual = { AWS_ENDPOINT_URL: 'http://127.0.0.1:9000' };
  expect(configFromEnv(usual).s3.endpoint).toBe('http://127.0.0.1:9000');
  const ours = { ...usual, MODELSTATS_S3_ENDPOINT: 'http://127.0.0.1:9001' };
  expect(configFromEnv(ours).s3.endpoint).toBe('http://127.0.0.1:9001');
});

test.each([
  { MODELSTATS_PUBLIC_URL: 'https://alice:hunter2@api.test' },
  { MODELSTATS_PUBLIC_URL: 'https://hunter2@api.test' },
  { MODELSTATS_PUBLIC_URL: 'https://api.test?hunter2' },
  { MODELSTATS_S3_ENDPOINT: 'https://alice:hunter2@s3.test' },
  { MODELSTATS_S3_ENDPOINT: 'https://alice:hunt/er2@s3.test' },
  { AWS_ENDPOINT_URL: 'https://alice:[hunter2@s3.test' },
])('%j is refused as it is no address, or holds a password, which is not told', (env) => {
  expect(() => configFromEnv(env)).toThrow(/MODELSTATS_(PUBLIC_URL|S3_ENDPOINT): /);
  expect(() => configFromEnv(env)).not.toThrow(/hunt/);
});

test('an empty variable counts as not set', () => {
  expect(configFromEnv({ MODELSTATS_STORE: '' }).places.store).toBe('file:./data/store');
  expect(configFromEnv({ AWS_ENDPOINT_URL: '' }).s3.endpoint).toBeUndefined();
});

test('limits per route differ where they are named, and only there', () => {
  const { backstop } = configFromEnv({ MODELSTATS_BACKSTOP: '/v1/models=5, /v1/models/{id} = 7' }).backstop;
  expect(backstop).toEqual({ '/v1/models': 5, '/v1/models/{id}': 7 });
  expect(configFromEnv({}).backstop.backstop).toEqual({});
  const env = { MODELSTATS_BACKSTOP: '/v1/models=0,/v1/scores=many,x' };
  expect(() => configFromEnv(env)).toThrow(
    /'\/v1\/models=0' is not .*\n.*'\/v1\/scores=many' is not .*\n.*'x' is not /,
  );
});

test.each([
  ['2026-12-01', '2026-12-01T00:00:00Z'],
  ['2026-12-01T08:00:00Z', '2026-12-01T08:00:00Z'],
  ['2026-12-01T08:00:00+02:00', '2026-12-01T06:00:00Z'],
])('enforcement from %s is from %s', (text, instant) => {
  expect(configFromEnv({ MODELSTATS_ENFORCEMENT_FROM: text }).enforcement.from).toEqual(new Date(instant));
});

test('a night begins at 00:05 UTC and is tried until noon unless something else is set', () => {
  const { schedule, retry } = configFromEnv({});
  expect(schedule).toEqual({ cron: '5 0 * * *' });
  expect(retry).toEqual({ until: '12:00', firstMs: 60_000, maxMs: 1_800_000 });
});

test('networks that may be reached are none unless they are listed, and every wrong one is told', () => {
  const networksOf = (env: Readonly<Record<string, string>>) =>
    configFromEnv(env).outbound.allow.map(({ text }) => text);
  expect(networksOf({})).toEqual([]);
  expect(networksOf({ MODELSTATS_OUTBOUND_ALLOW: '10.0.0.0/8, ::1/128,192.168.7.9' })).toEqual([
    '10.0.0.0/8',
    '::1/128',
    '192.168.7.9',
  ]);
  const wrong = { MODELSTATS_OUTBOUND_ALLOW: '10.0.0.0/33,::1/128,private,10.0.0.1/8,' };
  const problems = ["'10.0.0.0/33' needs a", "'private' is not a", "'10.0.0.1/8' has bits", "'' is not a"];
  for (const problem of problems) {
    expect(() => configFromEnv(wrong)).toThrow(`MODELSTATS_OUTBOUND_ALLOW: ${problem}`);
  }
});

test('people sign in as it is configured, by link unless told otherwise', () => {
  expect(configFromEnv({}).people.methods).toEqual(['link']);
  expect(configFromEnv({ MODELSTATS_SIGN_IN: 'password, link' }).people.methods).toEqual(['password', 'link']);
  for (const wrong of ['links', 'link,link', 'link,', 'link;password'])
    expect(() => configFromEnv({ MODELSTATS_SIGN_IN: wrong })).toThrow(/MODELSTATS_SIGN_IN: must be link, password/);
});

test('who is told of nights is named with commas between, once each, and a wrong one is told by its place alone', () => {
  const notify = (text: string) => configFromEnv({ MODELSTATS_NOTIFY: text }).notices.targets.map(({ kind }) => kind);
  expect(notify('https://hooks.test/a?b=c, ops@test ,exec:/bin/page --team data')).toEqual(['url', 'mail', 'exec']);
  expect(configFromEnv({}).notices.targets).toEqual([]);
  expect(() => notify('https://hooks.test/a,hunter2,ftp://hunter2')).toThrow(
    /target 2 is not one of .*\n.*target 3 is not one of/,
  );
  expect(() => notify('https://hooks.test/a,hunter2')).not.toThrow(/hunter2/);
  expect(() => notify('https://hooks.test/hunter2,https://hooks.test/hunter2')).toThrow(
    /^MODELSTATS_NOTIFY: https:\/\/hooks\.test\/… is named twice$/,
  );
  expect(() => notify(Array.from({ length: 11 }, (_, at) => `a${at}@test`).join())).toThrow('has more than 10 targets');
});
