import type { NightRequest } from '../../../pipeline/night/night.ts';
import type { NightResult } from '../../../pipeline/night/night-result.ts';
import { nightCommand } from '../../../pipeline/night/night-result.ts';
import { goneFrom } from '../../../pipeline/notices/notice.ts';
import type { Day } from '../../../runtime/day.ts';
import { isAppError, messageFromError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { noticeLog, openConfiguredNotices } from '../../config/night/configured-notices.ts';

/** What a night that nobody schedules tells of its end; resolves when it is told, or given up. */
export interface NightlyNotices {
  readonly end: (result: NightResult) => Promise<void>;
  readonly fail: (day: Day, error: unknown) => Promise<void>;
}

/**
 * Notices of a `nightly` that cron or a person runs; undefined where the configuration names nobody, as for a night of the scheduler,
 * which tells of it itself.
 */
export function openNightlyNotices(
  context: CommandContext,
  request: Omit<NightRequest, 'day'>,
): NightlyNotices | undefined {
  const notices = openConfiguredNotices(context, { log: noticeLog(context.log) });
  if (notices === undefined) return undefined;
  return {
    async end({ status, day, problems, preview, next_command: nextCommand, report }) {
      if (status === 'published' || status === 'already_published') return notices.published(day);
      if (status === 'dry_run') return;
      const gone = goneFrom(preview);
      await notices.tell({ kind: status, day, at: context.clock(), reasons: problems, gone, nextCommand, report });
    },
    async fail(day, error) {
      // Whoever calls it wrongly reads that, and nothing is wrong with the night.
      if (isAppError(error, 'usage')) return;
      const nextCommand = nightCommand({ ...request, day });
      await notices.tell({ kind: 'failed', day, at: context.clock(), reasons: [messageFromError(error)], nextCommand });
    },
  };
}
