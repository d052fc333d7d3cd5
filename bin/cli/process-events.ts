const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Undoes a progress bar: shows the cursor, wraps lines. */
const RESTORE_TERMINAL = '\u001b[?25h\u001b[?7h';
/** Shells report 128 plus the number as exit code. */
const SIGNAL_NUMBERS: Readonly<Record<(typeof STOP_SIGNALS)[number], number>> = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };

/**
 * Ends the process on a signal, with a message and a restored terminal; all work is atomic. Without a handler SIGTERM
 * would not end the first process of a container.
 */
export function endOnSignals(): void {
  for (const signal of STOP_SIGNALS) {
    process.once(signal, () => {
      if (process.stderr.isTTY) process.stderr.write(`\n${RESTORE_TERMINAL}`);
      process.stderr.write(`modelstats: stopped by ${signal}; run the same command again to continue\n`);
      // Repeats the signal without a handler, so that the parent sees it. The kernel doesn't end a container's first
      // process this way, so that exits by itself.
      process.kill(process.pid, signal);
      setTimeout(() => process.exit(128 + SIGNAL_NUMBERS[signal]), 100);
    });
  }
}

/**
 * Continues when output can't be written. A reader that is gone (`| head -1`) is no failure. A result lost otherwise,
 * as on a full disk, is reported on stderr and makes exit code 0 a 1; lost stderr changes nothing.
 */
export function outliveReaders(): void {
  process.stderr.on('error', () => {});
  let isLost = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isLost) return;
    isLost = true;
    process.once('exit', (code) => {
      if (code === 0) process.exitCode = 1;
    });
    process.stderr.write(`modelstats: the result can't be written: ${error.message}\n`);
  });
}

/** Resolves at the first SIGTERM or SIGINT. The second ends the process with 128 plus the signal's number. */
export function firstSignal({ onSecond }: { readonly onSecond: () => void }): Promise<'SIGTERM' | 'SIGINT'> {
  return new Promise((resolveFirst) => {
    let isStopping = false;
    const onSignal = (signal: 'SIGTERM' | 'SIGINT') => {
      if (isStopping) {
        onSecond();
        process.exit(128 + SIGNAL_NUMBERS[signal]);
      }
      isStopping = true;
      resolveFirst(signal);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  });
}
