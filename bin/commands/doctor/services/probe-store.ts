import { AppError } from '../../../../runtime/errors.ts';
import { folderFromUrl } from '../../../../storage/open-store.ts';
import type { Config } from '../../../config/config.ts';
import { openConfiguredStore } from '../../../config/configured-store.ts';
import { lookAtFolder } from '../machine/folder.ts';

/**
 * Writes something small to the store and removes it: on S3 the probe of conditional writes, in a folder a file that no listing shows.
 * Rejects with `configuration`, or as the store does.
 */
export async function probeStore(config: Config): Promise<void> {
  const folder = folderFromUrl(config.STORE);
  if (folder === undefined) {
    await openConfiguredStore(config, 'write');
    return;
  }
  const { result, message } = await lookAtFolder('store', folder);
  if (result === 'fail') throw new AppError('configuration', message.replace(/^.* can't be written: /, ''));
}
