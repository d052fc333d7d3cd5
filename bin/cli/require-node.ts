/**
 * Ends the command at once, with one sentence, where Node is older than `engines` of package.json says: before 22.14 it lacks the
 * interface (Node-API 10) that better-sqlite3 is built for, and would crash. Imported before
 * everything else, and in plain words of JavaScript that any Node understands.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 14)) {
  process.stderr.write(
    `modelstats: needs Node.js 22.14 or newer (24 recommended), and this is ${process.versions.node}: https://nodejs.org\n`,
  );
  process.exit(1);
}
