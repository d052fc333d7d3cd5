/** The alert rules by Prometheus' own tool: that they are rules, when each fires, and when it does not. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { ROOT } from './support/documents/text-files.ts';
import { findProgram } from './support/processes/server-process.ts';
import { useFolder } from './support/temporary-folder.ts';

/** On the PATH, where `scripts/services.sh` puts it; these tests are left out where it is not. */
const PROMTOOL = findProgram('promtool');
const RULES = join(ROOT, 'deploy/prometheus-alerts.yaml');
const MINUTES_A_DAY = 24 * 60;
const LABELS = { instance: 'a', job: 'modelstats' };

const folder = useFolder();

function promtool(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(PROMTOOL ?? '', args, { encoding: 'utf8', timeout: 60_000 });
  return { status, said: stdout + stderr };
}

/** A series that begins with Prometheus' time 0, as the names of its labels and the values of a minute each. */
const series = (name: string, values: string, labels: Readonly<Record<string, string>> = {}) => ({
  series: `${name}{${Object.entries({ ...LABELS, ...labels }).map(([key, value]) => `${key}="${value}"`)}}`,
  values,
  labels: { ...LABELS, ...labels },
});
const night = (status: string, values = '1x60') => series('modelstats_night_status', values, { status });
type Series = ReturnType<typeof series>;

/** By which minute an alert fires, in which it must not yet, what makes it fire, and its labels; default: those of its series. */
const firing = (fires: number, quiet: number | undefined, [first, ...more]: [Series, ...Series[]], labels?: object) => {
  return { fires, quiet, given: [first, ...more], labels: labels ?? first.labels };
};

const CASES: Readonly<Record<string, ReturnType<typeof firing>>> = {
  ModelstatsNightHeld: firing(1, undefined, [night('held')]),
  // Rejected and failed in turn, with attempts ever further apart: no status stands for half an hour.
  ModelstatsNightNotPublished: firing(
    31,
    29,
    [night('rejected', '1x9 0x19 1x29'), night('failed', '0x9 1x19 0x29')],
    LABELS,
  ),
  ModelstatsNightLate: firing(12, 10, [series('modelstats_night_late', '0x10 1x10')]),
  ModelstatsNoAttempt: firing(1811, 1809, [series('modelstats_night_ended_timestamp_seconds', '600x3000')]),
  ModelstatsDataStale: firing(2891, 2889, [series('modelstats_release_day_timestamp_seconds', '600x4000')]),
  ModelstatsUpstreamFailing: firing(2 * MINUTES_A_DAY + 1, 2 * MINUTES_A_DAY - 1, [
    series('modelstats_upstream_failed_since_timestamp_seconds', '0x4000', { upstream: 'shop', file: 'a.csv' }),
  ]),
  ModelstatsSuspectsWaiting: firing(4321, 4319, [series('modelstats_release_suspects_pending', '2x5000')]),
  ModelstatsNoticesNotTaken: firing(8, 4, [
    series('modelstats_notices_total', '0x5 1x60', { kind: 'held', result: 'failed' }),
  ]),
  ModelstatsViewNotFollowing: firing(31, 29, [
    series('modelstats_view_release_day_timestamp_seconds', '86400x60'),
    series('modelstats_release_day_timestamp_seconds', '172800x60'),
  ]),
  ModelstatsControlDatabase: firing(3, 1, [
    series('modelstats_problem', '1x10', { part: 'accounts', code: 'unavailable' }),
  ]),
  ModelstatsServerErrors: firing(
    15,
    9,
    [
      series('modelstats_request_duration_seconds_count', '0+10x60', { route: '/v1/models', status: '500' }),
      series('modelstats_request_duration_seconds_count', '0+90x60', { route: '/v1/models', status: '200' }),
    ],
    { instance: LABELS.instance },
  ),
  ModelstatsLogLinesDropped: firing(8, 4, [series('modelstats_log_lines_dropped_total', '0x5 7x60')]),
  ModelstatsUsageDetailsDropped: firing(8, 4, [series('modelstats_usage_details_dropped_total', '0x5 7x60')]),
  ModelstatsWebhooksOverdue: firing(12, 9, [series('modelstats_webhook_oldest_due_seconds', '0+60x60')]),
  ModelstatsWebhookTroubles: firing(20, 14, [series('modelstats_webhook_troubles_total', '0+1x60')]),
  ModelstatsIntegrationsDue: firing(62, 29, [series('modelstats_integration_due', '3x120')]),
  ModelstatsDigestsDue: firing(62, 29, [series('modelstats_email_digests_due', '3x120')]),
  ModelstatsIntegrationTroubles: firing(40, 29, [series('modelstats_integration_troubles_total', '0+1x120')]),
};

const rules: readonly { alert: string; labels: object; annotations: object }[] = parse(
  readFileSync(RULES, 'utf8'),
).groups.flatMap((group: { rules: readonly object[] }) => group.rules);

function alertOf(alert: string, labels: object) {
  const rule = rules.find((candidate) => candidate.alert === alert);
  const annotations = Object.entries(rule?.annotations ?? {}).map(([name, words]) => [
    name,
    String(words).replace('{{ $labels.file }}', 'a.csv').replace('{{ $labels.upstream }}', 'shop'),
  ]);
  return { exp_labels: { ...labels, ...rule?.labels }, exp_annotations: Object.fromEntries(annotations) };
}

/** What fires at each minute, given these series. */
function expectAlerts(alertname: string, given: readonly Series[], alerts: readonly (readonly [number, object?])[]) {
  const file = folder('rules.yaml');
  const cases = alerts.map(([minute, labels]) => {
    const exp_alerts = labels === undefined ? [] : [alertOf(alertname, labels)];
    return { eval_time: `${minute}m`, alertname, exp_alerts };
  });
  const input_series = given.map(({ labels: _, ...one }) => one);
  const tests = [{ interval: '1m', input_series, alert_rule_test: cases }];
  writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  expect(promtool('test', 'rules', file)).toMatchObject({ status: 0, said: expect.stringContaining('SUCCESS') });
}

test('every rule has a case here', () => {
  expect(Object.keys(CASES).sort()).toEqual(rules.map(({ alert }) => alert).sort());
});

test.skipIf(PROMTOOL === undefined)('the rules are rules', () => {
  const said = expect.stringContaining(`${rules.length} rules found`);
  expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0, said });
});

test.skipIf(PROMTOOL === undefined).each(Object.entries(CASES))(
  '%s fires when it should, and not before',
  (alert, { given, fires, quiet, labels }) => {
    expectAlerts(alert, given, [[fires, labels], ...(quiet === undefined ? [] : [[quiet] as const])]);
  },
);

test.skipIf(PROMTOOL === undefined).each(['rejected', 'failed'])(
  'a night that is %s for less than half an hour wakes nobody, and one that stays so does',
  (status) => {
    const published = night('published', '0x60');
    expectAlerts('ModelstatsNightNotPublished', [night(status), published], [[45, LABELS]]);
    expectAlerts('ModelstatsNightNotPublished', [night(status, '1x20 0x40'), published], [[45]]);
  },
);
