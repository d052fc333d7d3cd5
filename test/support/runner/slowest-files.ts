import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({
      path: module.relativeModuleId,
      wallSeconds: module.diagnostic().duration / 1000,
      processorSeconds: module.meta().processorSeconds ?? 0,
    }));
    const sum = files.reduce((seconds, file) => seconds + file.processorSeconds, 0);
    files.sort((a, b) => b.processorSeconds - a.processorSeconds);
    const rows = files
      .slice(0, SHOWN)
      .map(({ path, wallSeconds, processorSeconds }) => `${tenths(processorSeconds)} ${tenths(wallSeconds)}  ${path}`);
    console.log(
      [
        '',
        `processor      wall  slowest of ${files.length} files, ${sum.toFixed(0)} s of processor time in all`,
        ...rows,
        '',
      ].join('\n'),
    );
  }
}

function tenths(seconds: number): string {
  return `${seconds.toFixed(1)} s`.padStart(9);
}
