import type { AbsentFile } from '../../../pipeline/night/capture/sql/messages.ts';
import { type RowSink, Sandbox } from '../../../pipeline/night/capture/sql/sandbox.ts';

/** Opens the database in which a `source.sql` runs, without its process, on a folder of its own; gives what runs a SELECT. */
export async function openSandbox(folder: string, absent: readonly AbsentFile[] = []) {
  const settings = { memoryLimit: '300MB', threads: 1, spillFolder: `${folder}.spill`, spillBytesMax: 1 << 20 };
  const sandbox = await Sandbox.open({ ...settings, folders: [folder], absent });
  /** The rows of a SELECT, and its columns; or the file that is missing. */
  return async (sql: string) => {
    let [rows, names]: [unknown[], readonly string[]] = [[], []];
    const sink: RowSink = {
      begin: async (columns) => {
        names = columns.names;
      },
      take: async (chunk) => {
        rows = [...rows, ...chunk.getRows()];
      },
    };
    const missing = await sandbox.run({ path: 'source.sql', dataset: 'models', line: 1, sql }, sink);
    return missing === undefined ? { rows, names } : { missing };
  };
}
