import { accountTool } from './account-tool.ts';
import { BULK_TOOLS } from './bulk-tools.ts';
import { compareModelsTool } from './compare-models.ts';
import { CURRENT_TOOLS } from './current-tools.ts';
import { HISTORY_TOOLS } from './history-tools.ts';
import { resolveModelTool } from './resolve-model.ts';
import type { Tool } from './tool.ts';

/** Every tool, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  resolveModelTool,
  ...CURRENT_TOOLS,
  compareModelsTool,
  ...HISTORY_TOOLS,
  ...BULK_TOOLS,
  accountTool,
];
