import { defineCommand } from '../../cli/command.ts';

export const doctor = defineCommand({
  name: 'doctor',
  description: 'Check all that a new machine or a broken one needs, and say what to do; change nothing',
  examples: ['modelstats doctor'],
  notes: 'Exit codes: 0 nothing failed, 1 something did',
  meetsSettings: true,
  endsAtOnce: true,
  run: async (context) => (await import('./run-doctor.ts')).runDoctor(context),
});
