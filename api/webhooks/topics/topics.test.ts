/** The table of topics in the specification is made of their declarations: `make golden` writes it anew. */
import { expect, test } from 'vitest';
import { goldenTable } from '../../../test/support/documents/golden-table.ts';
import { TOPIC_DEFINITIONS } from './topics.ts';

test('the specification has the table of topics that their declarations give', () => {
  const rows = TOPIC_DEFINITIONS.map(({ name, sentWhen, data }) => {
    const fields = Object.keys(data.shape).map((field) => `\`${field}\``);
    return `| \`${name}\` | ${sentWhen} | ${fields.join(', ')} |`;
  });
  const table = ['| topic | sent when | `data` |', '| --- | --- | --- |', ...rows];
  expect(goldenTable('docs/specification.md', 'topics: made by api/webhooks/topics/topics.test.ts', table)).toEqual(
    table,
  );
});
