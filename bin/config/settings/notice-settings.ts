import { z } from 'zod';
import {
  type NoticeTarget,
  parseTarget,
  shownTarget,
  TARGET_FORMS,
  TARGETS_MAX,
} from '../../../pipeline/notices/send-notice.ts';
import { TIME_OF_DAY } from '../../../pipeline/schedule/run-day.ts';

/** Targets separated by commas; a wrong one is told by its place, for the rest of it may be a secret. */
const Targets = z.string().transform((text, context): readonly NoticeTarget[] => {
  const targets = text.split(',').flatMap((part, at) => {
    const target = parseTarget(part);
    if (target !== undefined) return [target];
    context.addIssue({ code: 'custom', message: `target ${at + 1} is none of ${TARGET_FORMS}` });
    return [];
  });
  if (targets.length > TARGETS_MAX)
    context.addIssue({ code: 'custom', message: `has more than ${TARGETS_MAX} targets` });
  const shown = targets.map((target) => JSON.stringify(target));
  for (const target of targets.filter((candidate, at) => shown.indexOf(JSON.stringify(candidate)) < at))
    context.addIssue({ code: 'custom', message: `${shownTarget(target)} is named twice` });
  return targets;
});

/** The settings of notices of nights: part of `ConfigSchema`. */
export const NOTICE_SETTINGS = {
  NOTIFY: Targets.default([]).describe('Who is told of nights that need a person, comma-separated'),
  NOTIFY_LATE_AFTER: z
    .string()
    .regex(TIME_OF_DAY, 'must be a time of day HH:MM, up to 24:00')
    .optional()
    .describe('Time of the UTC day from which on a day that was due and is not published is late'),
} as const;
