/** deploy/prometheus-alerts.yaml and deploy/grafana-dashboard.json, held to what the processes offer at /metrics. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { buildProgram } from '../bin/program.ts';
import { ROOT } from './support/documents/text-files.ts';
import { metricNames } from './support/notices/metric-names.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const Rule = z.strictObject({
  alert: z.string().regex(/^Modelstats[A-Z]\w+$/),
  expr: z.string().min(1),
  for: z.optional(z.string().regex(/^\d+[mhd]$/)),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string(), command: z.string() }),
});
const Rules = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule) })) });
const rules = Rules.parse(parse(read('deploy/prometheus-alerts.yaml'))).groups.flatMap((group) => group.rules);

const Panel = z.looseObject({
  datasource: z.object({ uid: z.string() }).optional(),
  targets: z.array(z.looseObject({ expr: z.string(), datasource: z.object({ uid: z.string() }) })).default([]),
});
const dashboard = z
  .looseObject({
    panels: z.array(Panel),
    templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
  })
  .parse(JSON.parse(read('deploy/grafana-dashboard.json')));

/** The metrics that an expression names; of a histogram by its own name. */
function namedIn(expression: string): readonly string[] {
  return [...expression.matchAll(/\bmodelstats_\w+/g)].map(([name]) => name.replace(/_(count|sum|bucket)$/, ''));
}

const alerted = rules.flatMap(({ expr }) => namedIn(expr));
const drawn = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namedIn(expr)));

test.each([
  ['an alert names', alerted, rules.length],
  ['the dashboard shows', drawn, 16],
])('every metric that %s is one that a process offers', (_, named, least) => {
  const offered = metricNames();
  expect(named.length).toBeGreaterThanOrEqual(least);
  expect(named.filter((name) => !offered.has(name))).toEqual([]);
});

test('every metric of nights and of what waits has an alert or a panel', () => {
  const shown = new Set([...alerted, ...drawn]);
  const nights = [...metricNames()].filter((name) => /^modelstats_(night|release|notices|health)_/.test(name));
  const plain = ['modelstats_night_attempts', 'modelstats_night_day_timestamp_seconds'];
  const ofAttempts = ['modelstats_night_quarantined', 'modelstats_night_suspects_pending'];
  const untold = nights.filter((name) => !shown.has(name));
  expect(untold.sort()).toEqual([...plain, ...ofAttempts, 'modelstats_release_published_timestamp_seconds'].sort());
});

test('alerts have names of their own, and their commands are ones that there are', () => {
  const names = rules.map(({ alert }) => alert);
  expect(new Set(names).size).toBe(names.length);
  const program = buildProgram('0.0.0', async () => {});
  expect(program.commands).not.toHaveLength(0);
  const words = rules.flatMap(
    ({ annotations }) => /^modelstats ([a-z ]+)/.exec(annotations.command)?.[1]?.trim() ?? [],
  );
  expect(words.length).toBeGreaterThan(10);
  for (const text of words) {
    const [first = '', second = ''] = text.split(' ');
    const command = program.commands.find((candidate) => candidate.name() === first);
    expect(command?.name(), text).toBe(first);
    const children = command?.commands.map((child) => child.name()) ?? [];
    if (children.length > 0) expect(children, text).toContain(second);
  }
});

test('the dashboard can be imported anywhere: its data source is a variable', () => {
  expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
    ['datasource', 'datasource'],
    ['job', 'query'],
  ]);
  const sources = dashboard.panels.flatMap((panel) => [
    panel.datasource,
    ...panel.targets.map((target) => target.datasource),
  ]);
  const uids = [...new Set(sources.flatMap((source) => source?.uid ?? []))];
  expect(uids.join()).toMatch(/^\$\{datasource\}$/);
});
