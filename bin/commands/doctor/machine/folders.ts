import { resolve } from 'node:path';
import type { Finding, Setup } from '../finding.ts';
import { servesHere } from '../use.ts';
import { lookAtFolder } from './folder.ts';

/** The work folder, which every command that makes a run needs. */
export function checkWorkFolder({ config }: Setup): Promise<Finding> {
  return lookAtFolder('work folder', config.WORK);
}

/** The folder of views, where one serves here. That a server has it is no fault: it is asked at its port. */
export async function checkViewFolder(setup: Setup): Promise<Finding | undefined> {
  return servesHere(setup) ? lookAtFolder('folder of views', resolve(setup.config.VIEW)) : undefined;
}
