/** The process of `write-in-child.ts`: writes one view and ends, at the latest with its parent. */
import { isAppError, messageFromError } from '../../../runtime/errors.ts';
import { type WriteInput, writeView } from '../write/write-view.ts';
import type { ChildReply } from './write-in-child.ts';

process.on('disconnect', () => process.exit());

process.once('message', (input: WriteInput) => {
  void writeView(input)
    .then(
      (view): ChildReply => ({ view }),
      (error: unknown): ChildReply => ({
        failed: messageFromError(error),
        code: isAppError(error) ? error.code : null,
      }),
    )
    .then((reply) => process.send?.(reply, () => process.exit()));
});
