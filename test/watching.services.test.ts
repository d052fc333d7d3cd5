/** The alert rules by Prometheus' own tool: that they are rules, when each fires, and when it does not. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { ROOT } from './support/documents/text-files.ts';

/** On the PATH, where `scripts/services.sh` puts it; these tests are left out where it is not. */
const PROMTOOL = (process.env['PATH'] ?? '')
  .split(':')
  .map((path) => join(path, 'promtool'))
  .find(existsSync);
const RULES = join(ROOT, 'deploy/prometheus-alerts.yaml');
const DAY_SECONDS = 86_400;
const LABELS = { instance: 'a', job: 'modelstats' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'modelstats-rules-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function promtool(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(PROMTOOL ?? '', args, { encoding: 'utf8', timeout: 60_000 });
  return { status, said: stdout + stderr };
}

/** A series that begins with Prometheus' time 0, as the names of its labels and the values of a minute each. */
const series = (name: string, values: string, labels: Readonly<Record<string, string>> = {}) => ({
  series: `${name}{${Object.entries({ ...LABELS, ...labels }).map(([key, value]) => `${key}="${value}"`)}}`,
  values,
});
const night = (status: string, values = '1x60') => series('modelstats_night_status', values, { status });

/** What makes each alert fire, when it fires at the latest, and when it must not yet. */
const CASES: Readonly<Record<string, { given: readonly object[]; fires: string; quiet?: string; labels?: object }>> = {
  ModelstatsNightHeld: { given: [night('held')], fires: '1m', labels: { status: 'held' } },
  ModelstatsNightNotPublished: {
    // Rejected and failed in turn, with attempts ever further apart: no status stands for half an hour.
    given: [night('rejected', '1x9 0x19 1x29'), night('failed', '0x9 1x19 0x29')],
    fires: '31m',
    quiet: '29m',
  },
  ModelstatsNightLate: { given: [series('modelstats_night_late', '0x10 1x10')], fires: '12m', quiet: '10m' },
  ModelstatsNoAttempt: {
    given: [series('modelstats_night_ended_timestamp_seconds', '600x3000')],
    fires: '1811m',
    quiet: '1809m',
  },
  ModelstatsDataStale: {
    given: [series('modelstats_release_day_timestamp_seconds', '600x4000')],
    fires: '2891m',
    quiet: '2889m',
  },
  ModelstatsUpstreamFailing: {
    given: [
      series('modelstats_upstream_failed_since_timestamp_seconds', '0x4000', { upstream: 'shop', file: 'a.csv' }),
    ],
    fires: `${(2 * DAY_SECONDS) / 60 + 1}m`,
    quiet: `${(2 * DAY_SECONDS) / 60 - 1}m`,
    labels: { upstream: 'shop', file: 'a.csv' },
  },
  ModelstatsSuspectsWaiting: {
    given: [series('modelstats_release_suspects_pending', '2x5000')],
    fires: '4321m',
    quiet: '4319m',
  },
  ModelstatsNoticesNotTaken: {
    given: [series('modelstats_notices_total', '0x5 1x60', { kind: 'held', result: 'failed' })],
    fires: '8m',
    quiet: '4m',
    labels: { kind: 'held', result: 'failed' },
  },
  ModelstatsViewNotFollowing: {
    given: [
      series('modelstats_view_release_day_timestamp_seconds', '86400x60'),
      series('modelstats_release_day_timestamp_seconds', '172800x60'),
    ],
    fires: '31m',
    quiet: '29m',
  },
  ModelstatsControlDatabase: {
    given: [series('modelstats_problem', '1x10', { part: 'accounts', code: 'unavailable' })],
    fires: '3m',
    quiet: '1m',
    labels: { part: 'accounts', code: 'unavailable' },
  },
  ModelstatsServerErrors: {
    given: [
      series('modelstats_request_duration_seconds_count', '0+10x60', { route: '/v1/models', status: '500' }),
      series('modelstats_request_duration_seconds_count', '0+90x60', { route: '/v1/models', status: '200' }),
    ],
    fires: '15m',
    quiet: '9m',
  },
  ModelstatsLogLinesDropped: {
    given: [series('modelstats_log_lines_dropped_total', '0x5 7x60')],
    fires: '8m',
    quiet: '4m',
  },
  ModelstatsUsageDetailsDropped: {
    given: [series('modelstats_usage_details_dropped_total', '0x5 7x60')],
    fires: '8m',
    quiet: '4m',
  },
  ModelstatsWebhooksOverdue: {
    given: [series('modelstats_webhook_oldest_due_seconds', '0+60x60')],
    fires: '12m',
    quiet: '9m',
  },
  ModelstatsWebhookTroubles: {
    given: [series('modelstats_webhook_troubles_total', '0+1x60')],
    fires: '20m',
    quiet: '14m',
  },
  ModelstatsIntegrationsDue: { given: [series('modelstats_integration_due', '3x120')], fires: '62m', quiet: '29m' },
  ModelstatsIntegrationTroubles: {
    given: [series('modelstats_integration_troubles_total', '0+1x120')],
    fires: '40m',
    quiet: '29m',
  },
};

const rules: readonly { alert: string; labels: object; annotations: object }[] = parse(
  readFileSync(RULES, 'utf8'),
).groups.flatMap((group: { rules: readonly object[] }) => group.rules);

test('every rule has a case here', () => {
  expect(Object.keys(CASES).sort()).toEqual(rules.map(({ alert }) => alert).sort());
});

test.skipIf(PROMTOOL === undefined)('the rules are rules', () => {
  expect(promtool('check', 'rules', RULES)).toMatchObject({
    status: 0,
    said: expect.stringContaining(`${rules.length} rules found`),
  });
});

test.skipIf(PROMTOOL === undefined).each(Object.entries(CASES))(
  '%s fires when it should, and not before',
  (alert, { given, fires, quiet, labels = {} }) => {
    const told = (words: string) =>
      words.replace('{{ $labels.file }}', 'a.csv').replace('{{ $labels.upstream }}', 'shop');
    const rule = rules.find((candidate) => candidate.alert === alert);
    const annotations = Object.fromEntries(
      Object.entries(rule?.annotations ?? {}).map(([name, words]) => [name, told(String(words))]),
    );
    const own = alert === 'ModelstatsServerErrors' ? { instance: LABELS.instance } : { ...LABELS, ...labels };
    const firing = { exp_labels: { ...own, ...rule?.labels }, exp_annotations: annotations };
    const file = join(folder, 'rules.yaml');
    const cases = [
      { eval_time: fires, alertname: alert, exp_alerts: [firing] },
      ...(quiet === undefined ? [] : [{ eval_time: quiet, alertname: alert, exp_alerts: [] }]),
    ];
    writeFileSync(
      file,
      stringify({
        rule_files: [RULES],
        evaluation_interval: '1m',
        tests: [{ interval: '1m', input_series: given, alert_rule_test: cases }],
      }),
    );
    expect(promtool('test', 'rules', file)).toMatchObject({ status: 0, said: expect.stringContaining('SUCCESS') });
  },
);

test.skipIf(PROMTOOL === undefined).each(['rejected', 'failed'])(
  'a night that is %s for less than half an hour wakes nobody, and one that stays so does',
  (status) => {
    const rule = rules.find(({ alert }) => alert === 'ModelstatsNightNotPublished');
    const firing = { exp_labels: { ...LABELS, ...rule?.labels }, exp_annotations: rule?.annotations };
    const cases = (given: object, exp_alerts: readonly object[]) => ({
      interval: '1m',
      input_series: [given, night('published', '0x60')],
      alert_rule_test: [{ eval_time: '45m', alertname: 'ModelstatsNightNotPublished', exp_alerts }],
    });
    const file = join(folder, 'rules.yaml');
    const tests = [cases(night(status), [firing]), cases(night(status, '1x20 0x40'), [])];
    writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
    expect(promtool('test', 'rules', file)).toMatchObject({ status: 0, said: expect.stringContaining('SUCCESS') });
  },
);
