/** What the composed history is made of, known to whoever composes it and to whoever asks for it. */
export const FIRST_HISTORY_DAY = '2025-01-01';
/** Benchmarks that each model has a series of. */
export const BENCHMARKS = 20;

/** As SQL. */
export function historyModel(index: string): string {
  return `'openai/gpt-' || (1000 + ${index})`;
}

/** As SQL. */
export function historyBenchmark(index: string): string {
  return `'task-' || (100 + ${index})`;
}

/** The path of one series' whole history. */
export function historyPath(series: number, to: string): string {
  const model = encodeURIComponent(`openai/gpt-${1000 + Math.floor(series / BENCHMARKS)}`);
  return `/v1/models/${model}/history?kind=score&benchmark_id=task-${100 + (series % BENCHMARKS)}&to=${to}`;
}
