/** The load generator, a process of its own: `tsx bench/api/load.ts PLAN_FILE`; prints a LoadResult. */
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { LoadConnection } from './load-connection.ts';
import { type LoadPlan, type LoadResult, percentile, type Sample } from './load-plan.ts';

async function generateLoad(plan: LoadPlan): Promise<LoadResult> {
  const origin = new URL(plan.origin);
  const requests = plan.paths.map((path, i) => requestBytes(origin, path, { ...plan, tag: plan.tags?.[i] }));
  const expected = plan.tags === undefined ? 200 : 304;
  const connections = await Promise.all(Array.from({ length: plan.connections }, () => LoadConnection.open(origin)));
  const startedAt = Date.now();
  const started = performance.now();
  let until = plan.seconds === undefined ? Number.POSITIVE_INFINITY : started + plan.seconds * 1000;
  process.once('SIGTERM', () => {
    until = 0;
  });
  const samples: Sample[] = [];
  let next = 0;
  let bodyBytes = 0;
  /** The next request and when it is due; undefined at the end. */
  const take = () => {
    const number = next;
    const dueAt = plan.perSecond === undefined ? performance.now() : started + (number / plan.perSecond) * 1000;
    const request = requests[plan.seconds === undefined ? number : number % requests.length];
    if (request === undefined || dueAt >= until) return undefined;
    next += 1;
    return { request, dueAt };
  };
  const work = async (connection: LoadConnection) => {
    for (let task = take(); task !== undefined; task = take()) {
      const waitMs = task.dueAt - performance.now();
      if (waitMs > 0) await setTimeout(waitMs);
      const response = await connection.send(task.request);
      if (response.status !== expected)
        throw new Error(`${task.request.toString()}was answered with ${response.status}`);
      bodyBytes += response.bodyBytes;
      samples.push([task.dueAt, performance.now() - task.dueAt]);
    }
    connection.close();
  };
  await Promise.all(connections.map(work));
  const latencies = samples.map(([, ms]) => ms);
  return {
    requests: samples.length,
    wallMs: performance.now() - started,
    bodyBytes,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    maxMs: percentile(latencies, 1),
    samples: plan.withSamples ? samples.map(([dueAt, ms]) => [dueAt - started + startedAt, ms] as const) : [],
  };
}

interface Sent extends Pick<LoadPlan, 'headers' | 'body'> {
  readonly tag: string | undefined;
}

function requestBytes(origin: URL, path: string, { headers, body, tag }: Sent): Buffer {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const condition = tag === undefined ? {} : { 'If-None-Match': tag };
  const all = Object.entries({ Host: origin.host, ...headers, ...condition, ...length });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  const method = body === undefined ? 'GET' : 'POST';
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

const [planFile] = process.argv.slice(2);
if (planFile === undefined) throw new Error('usage: load.ts PLAN_FILE');
// Written by run-load.ts, a few lines from here.
console.log(JSON.stringify(await generateLoad(JSON.parse(await readFile(planFile, 'utf8')) as LoadPlan)));
