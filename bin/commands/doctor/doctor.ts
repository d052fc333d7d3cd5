import { defineCommand } from '../../cli/command.ts';

export const doctor = defineCommand({
  name: 'doctor',
  description: 'Check all that a machine needs, and say what to do; changes nothing',
  examples: ['modelstats doctor'],
  notes: 'Exit codes: 0 nothing failed, 1 a check failed',
  toleratesBadSettings: true,
  endsAtOnce: true,
  run: async (context) => (await import('./run-doctor.ts')).runDoctor(context),
});
