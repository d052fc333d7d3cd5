/** Versions of the records that were never published, for tests of what happens when there is more than one. */
import { addDays, type Day } from '../../../runtime/day.ts';
import {
  datasetWithFields,
  defineVersions,
  NOTICE_DAYS_MIN,
  type RecordVersion,
} from '../../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../../schemas/record-versions.ts';

/** What the versions here come after: 1.0. */
const [{ datasets: ONE }] = RECORD_VERSIONS as readonly [RecordVersion, ...RecordVersion[]];

/** A major version that renames, removes, moves and adds fields; `rankings` stay as they are. */
export function versionTwo(inForceFrom: Day, noticeFrom: Day = addDays(inForceFrom, -NOTICE_DAYS_MIN)): RecordVersion {
  return {
    version: '2.0',
    noticeFrom,
    inForceFrom,
    datasets: {
      ...ONE,
      models: datasetWithFields(ONE.models, [
        ...(['id', ['name', 'display_name'], 'organization', 'release_date', 'context_length', 'updated_at'] as const),
      ]),
      benchmarks: datasetWithFields(ONE.benchmarks, ['id', ['name', 'title'], 'model_count', 'category', 'updated_at']),
      scores: datasetWithFields(ONE.scores, [
        ...(['model_id', 'benchmark_id', 'value', ['n', 'sample_size'], 'source', 'measured_at'] as const),
        ['updated_at', 'changed_at'],
      ]),
      pricing: datasetWithFields(ONE.pricing, [
        ...(['model_id', 'provider', ['input_per_million', 'input_price']] as const),
        ...([['output_per_million', 'output_price'], 'currency', 'effective_from', 'updated_at'] as const),
      ]),
    },
  };
}

/** A minor version after 1.0: scores have their sample size too. */
export function versionOneOne(inForceFrom: Day): RecordVersion {
  const fields = ['model_id', 'benchmark_id', 'value', 'source', 'measured_at', 'updated_at', 'n'];
  return {
    version: '1.1',
    noticeFrom: null,
    inForceFrom,
    datasets: { ...ONE, scores: datasetWithFields(ONE.scores, fields) },
  };
}

/** A minor version that no program knows, though others lie between: scores have their sample size under a name of its own. */
export function versionOneNine(inForceFrom: Day): RecordVersion {
  const fields = ['model_id', 'benchmark_id', 'value', 'source', 'measured_at', 'updated_at'] as const;
  const scores = datasetWithFields(ONE.scores, [...fields, ['n', 'sample_size']]);
  return { version: '1.9', noticeFrom: null, inForceFrom, datasets: { ...ONE, scores } };
}

/** The versions that are published, and others after them. */
export function versionsWith(...others: readonly RecordVersion[]): readonly RecordVersion[] {
  return defineVersions([...RECORD_VERSIONS.slice(0, 1), ...others]);
}
