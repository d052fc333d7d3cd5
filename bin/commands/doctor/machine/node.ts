import { type Finding, ok, warn } from '../finding.ts';

/** The version that all is tested on first; older ones than 22.14 end at once (require-node.ts). */
const RECOMMENDED_MAJOR = 24;

export async function checkNode(): Promise<Finding> {
  const { node: version } = process.versions;
  const told = `Node.js ${version} on ${process.platform} ${process.arch}`;
  if (Number.parseInt(version, 10) >= RECOMMENDED_MAJOR) return ok(told);
  return warn(told, `Node.js ${RECOMMENDED_MAJOR} is recommended: https://nodejs.org`);
}
