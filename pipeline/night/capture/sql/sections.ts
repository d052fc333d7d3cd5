import { AppError } from '../../../../runtime/errors.ts';
import { DATASET_NAMES, type DatasetName } from '../../../../schemas/datasets.ts';
import { readText } from '../../../source/read-text.ts';

/** The part of `source.sql` under the heading of one dataset. */
export interface Section {
  readonly path: string;
  readonly dataset: DatasetName;
  /** Of the heading, 1-based. */
  readonly line: number;
  readonly sql: string;
}

/** Far above any that people write; parsing more takes a night's memory. */
const SQL_BYTES_MAX = 1 << 20;

const HEADING = new RegExp(`^--\\s*(?:name:|dataset:)?\\s*(${DATASET_NAMES.join('|')})\\s*$`, 'i');

/** For people: how a `source.sql` looks. */
export const HEADING_HINT = `put each SELECT under a comment line with its dataset: ${DATASET_NAMES.map((name) => `-- ${name}`).join(', ')}`;

/** Reads `source.sql` and divides it by its headings; rejects with `source_rejected`, naming file and line. */
export async function loadSections(path: string): Promise<readonly Section[]> {
  const sections = sectionsFromSql(path, await readText(path, SQL_BYTES_MAX));
  for (const [index, section] of sections.entries()) {
    const isRepeated = sections.slice(0, index).some(({ dataset }) => dataset === section.dataset);
    if (isRepeated) throw rejectedSection(section, `${section.dataset} stands twice`);
  }
  if (sections.length === 0) throw new AppError('source_rejected', `${path} maps no dataset: ${HEADING_HINT}`);
  return sections;
}

/** @param lines behind the heading at which the fault is, 0 where that isn't known */
export function rejectedSection(section: Section, reason: string, lines = 0, cause?: unknown): AppError {
  const place = `${section.path} line ${section.line + lines} (${section.dataset})`;
  return new AppError('source_rejected', `${place}: ${reason}`, { cause });
}

function sectionsFromSql(path: string, text: string): readonly Section[] {
  const lines = text.split(/\r?\n/);
  const starts = lines.flatMap((line, index) => {
    const dataset = DATASET_NAMES.find((name) => name === HEADING.exec(line.trim())?.[1]?.toLowerCase());
    return dataset === undefined ? [] : [{ dataset, index }];
  });
  return starts.map(({ dataset, index }, place) => ({
    path,
    dataset,
    line: index + 1,
    sql: lines.slice(index + 1, starts[place + 1]?.index).join('\n'),
  }));
}
