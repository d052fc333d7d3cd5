/**
 * Ends the command where Node is older than `engines` in package.json: before 22.14 it lacks Node-API 10, without which
 * better-sqlite3 crashes. Imported first, in JavaScript that any Node understands.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 14)) {
  process.stderr.write(
    `modelstats: needs Node.js 22.14 or newer (24 recommended); this is ${process.versions.node}: https://nodejs.org\n`,
  );
  process.exit(1);
}
