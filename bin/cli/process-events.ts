/** What can happen to a running command: its output's reader goes away, or a signal asks it to stop. */

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Undoes what a progress bar did to the terminal: shows the cursor, wraps lines again. */
const RESTORE_TERMINAL = '\u001b[?25h\u001b[?7h';
/** The signals' numbers: a shell shows 128 more as the exit code of a process that a signal ended. */
const SIGNAL_NUMBERS: Readonly<Record<(typeof STOP_SIGNALS)[number], number>> = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };

/**
 * Ends the process when a signal asks for it: at once, since the work is all or nothing, but after a message and with the
 * terminal as it was. Without a handler SIGTERM would not end the first process of a container.
 */
export function endOnSignals(): void {
  for (const signal of STOP_SIGNALS) {
    process.once(signal, () => {
      if (process.stderr.isTTY) process.stderr.write(`\n${RESTORE_TERMINAL}`);
      process.stderr.write(`modelstats: stopped by ${signal}; run the same command again to go on\n`);
      // The signal once more, now without a handler, so that the parent sees that it ended this process. The kernel does not end
      // the first process of a container that way, so that one exits by itself.
      process.kill(process.pid, signal);
      setTimeout(() => process.exit(128 + SIGNAL_NUMBERS[signal]), 100);
    });
  }
}

/**
 * Lets the work go on when its output can't be written. A reader that has gone (`| head -1`) is no failure. An answer that is lost
 * for another reason, such as a full disk, is reported on stderr, and makes the exit code 1 where it would be 0; what is lost on stderr
 * changes nothing.
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
    process.stderr.write(`modelstats: the answer can't be written: ${error.message}\n`);
  });
}

/** Resolves at the first SIGTERM or SIGINT. The second ends the process at once, with 128 and the signal's number as exit code. */
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
