import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, begun first in this order; the order of the others stays vitest's own, which on a fresh clone goes by
 * their size. A file that is long to run and short to read would else come last, and run alone while the other processes idle:
 * that cost the tests on S3 three minutes of six.
 */
export const LONG_FILES: readonly string[] = [
  'test/versions/night.test.ts',
  'api/view/follow/view-follower.test.ts',
  'test/night/carried-upstream.test.ts',
  'test/store/redated.test.ts',
  'test/store/damage.test.ts',
  'test/sync/copies.test.ts',
  'api/view/follow/build-view.test.ts',
  'api/server/connections.test.ts',
  'test/cli/bad-input.test.ts',
  'test/api/lists.test.ts',
  'test/night/fetching.test.ts',
  'bin/commands/doctor/doctor.test.ts',
  'api/accounts/people/people.sqlite.test.ts',
  'test/cli/interrupt.test.ts',
  'test/night/guard.test.ts',
  'test/integrations/commands.test.ts',
  'test/sync/faults.test.ts',
  'test/cli/schedule.test.ts',
  'test/sources/real-days.long.test.ts',
  'bench/run.long.test.ts',
  'test/sources/missing-upstreams.long.test.ts',
  'test/crash/crash.long.test.ts',
  'test/cli/told-nights.long.test.ts',
  'test/site/real-days.long.test.ts',
  'test/api-oracle/real-days.long.test.ts',
  'test/sync/kill.long.test.ts',
  'test/cli/race.long.test.ts',
  'api/view/follow/killed-build.long.test.ts',
  'test/night-oracle/real-days.long.test.ts',
  'test/webhook-events/real-days.long.test.ts',
  'test/serve/kill.long.test.ts',
  'test/crash/crash.s3.test.ts',
  'test/s3/faults.s3.test.ts',
  'test/s3/nights.s3.test.ts',
  'test/s3/minio-script.s3.test.ts',
  'api/accounts/people/people.services.test.ts',
  'test/sync/copies.services.test.ts',
  'test/serve/kill.services.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    // A sort keeps the order of equals.
    return sorted.sort((a, b) => projects.indexOf(a.project) - projects.indexOf(b.project) || placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  const place = LONG_FILES.indexOf(relative(project.config.root, moduleId));
  return place === -1 ? LONG_FILES.length : place;
}
