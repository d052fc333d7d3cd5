/** What the world does to a running command: readers go away, operators and schedulers stop it. */

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Undoes what a progress bar did to the terminal: shows the cursor, wraps lines. */
const RESTORE_TERMINAL = '\u001b[?25h\u001b[?7h';
/** Numbers of the signals: a process that a signal ended has 128 more as its exit code in a shell. */
const SIGNAL_NUMBERS: Readonly<Record<(typeof STOP_SIGNALS)[number], number>> = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };

/**
 * Ends the process when a signal asks for it: at once, as kill -9 would, for work that is all or nothing, but with a word
 * and a terminal as it was. A handler is also what makes SIGTERM end the first process of a container.
 */
export function endOnSignals(): void {
  for (const signal of STOP_SIGNALS) {
    process.once(signal, () => {
      if (process.stderr.isTTY) process.stderr.write(`\n${RESTORE_TERMINAL}`);
      process.stderr.write(`modelstats: stopped by ${signal}; run the same command again to go on\n`);
      // The signal once more, now without a handler, so that the parent sees what ended us; a container's first
      // process is spared by the kernel and has to leave on its own.
      process.kill(process.pid, signal);
      setTimeout(() => process.exit(128 + SIGNAL_NUMBERS[signal]), 100);
    });
  }
}

/** Goes on with the work when nobody reads what it says any more (`| head -1`); other errors of a stream are told. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      process.exitCode = 1;
      if (stream === process.stdout)
        process.stderr.write(`modelstats: the answer can't be written: ${error.message}\n`);
    });
  }
}
