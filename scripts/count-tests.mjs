/**
 * Sums up vitest's JSON reports: `node scripts/count-tests.mjs REPORT…` prints `N passed, N failed[, N skipped]` as its
 * last line and exits with 1 unless every report is there, something passed and nothing failed.
 *
 * Also failed: a missing or unreadable report; a file that failed without a failed test (an error at import or in a hook, or no
 * tests); a test that never ended (its process died).
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const STATUSES = { passed: 'passed', failed: 'failed', pending: 'failed', skipped: 'skipped', todo: 'skipped' };

function countFile(file) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { status } of file.assertionResults) count[STATUSES[status] ?? 'failed']++;
  const broken = file.status !== 'passed' || file.assertionResults.length === 0;
  if (count.failed === 0 && broken) {
    console.log(`${relative(process.cwd(), file.name)}: ${file.message || 'failed outside its tests'}`);
    count.failed = 1;
  }
  return count;
}

function countReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults.map(countFile);
  } catch (error) {
    console.log(`${path}: no report of a test run (${error.message})`);
    return [{ passed: 0, failed: 1, skipped: 0 }];
  }
}

const counts = process.argv.slice(2).flatMap(countReport);
const sum = (status) => counts.reduce((total, count) => total + count[status], 0);
const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
