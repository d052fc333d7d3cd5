/**
 * Looks for text that a page would show unescaped: `node scripts/html-scan.mjs PLUGIN FILE…`, with the folder of
 * @kitajs/ts-html-plugin (`scripts/html-scan.sh` installs it) and files of TSX. Prints each place as `file:line: what`; exit code 1
 * where there is one (decision 0068).
 *
 * What is looked for, in each file:
 * - what the plugin calls an error: a child of an element that is text and not escaped by the element's `safe`;
 * - text where HTML is expected, anywhere: `JSX.Element` is a string to TypeScript, so that text could be given to a property, be
 *   returned by a component, or stand in one branch, and count as HTML from there on;
 * - the names and casts by which the plugin is told that something is safe. Here is none of them, so none may come unseen.
 */
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';

const [plugin, ...names] = process.argv.slice(2);
const fromPlugin = createRequire(join(resolve(plugin), 'package.json'));
const ts = fromPlugin('typescript');
const { recursiveDiagnoseJsxElements, isJsx, getSafeAttribute } = fromPlugin('./dist/util.js');

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
const files = names.map((name) => resolve(name));
const program = ts.createProgram(files, { ...options, allowImportingTsExtensions: true });
const checker = program.getTypeChecker();
const places = new Set();

function report(node, what) {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  places.add(`${relative(process.cwd(), file.fileName)}:${line + 1}: ${what}: ${node.getText().slice(0, 60)}`);
}

/** What the plugin finds, without its warnings of a `safe` that isn't needed, which does no harm. */
function plugins(file) {
  const found = [];
  ts.forEachChild(file, (node) => recursiveDiagnoseJsxElements(ts, node, checker, found));
  return found.filter(({ category }) => category === ts.DiagnosticCategory.Error);
}

const isPromise = (type) => type.symbol?.escapedName === 'Promise';

const isPlainText = (type) => (type.flags & ts.TypeFlags.String) !== 0;

/** `JSX.Element` and what holds it: a union of a string and its promise, which nothing else in a page is. */
function isHtml(type) {
  if (type === undefined) return false;
  const item = checker.isArrayType(type) ? checker.getTypeArguments(type)[0] : type;
  return (
    item?.isUnion() === true &&
    item.types.some((one) => isPromise(one) && isPlainText(checker.getTypeArguments(one)[0]))
  );
}

/** Text that is not known from the code alone. */
function isText(type) {
  if (isHtml(type)) return false;
  if (type.isUnion()) return type.types.some(isText);
  if (type.isIntersection()) return type.types.some(isText);
  if (checker.isArrayType(type)) return isText(checker.getTypeArguments(type)[0]);
  const { Any, String: text, TemplateLiteral, StringMapping } = ts.TypeFlags;
  return (type.flags & (Any | text | TemplateLiteral | StringMapping)) !== 0;
}

/** What an expression is expected to be: by what it is given to, or because what it may be instead of is HTML. */
function isHtmlExpected(node) {
  const { parent } = node;
  if (isHtml(checker.getContextualType(node))) return true;
  if (ts.isConditionalExpression(parent) && node !== parent.condition) return isHtml(checker.getTypeAtLocation(parent));
  if (ts.isArrayLiteralExpression(parent)) return isHtml(checker.getTypeAtLocation(parent));
  if (ts.isBinaryExpression(parent) && node === parent.right) return isHtml(checker.getTypeAtLocation(parent));
  if (ts.isReturnStatement(parent)) return isHtml(returnedBy(ts.findAncestor(parent, ts.isFunctionLike)));
  return ts.isArrowFunction(parent) && node === parent.body && isHtml(returnedBy(parent));
}

function returnedBy(declaration) {
  const signature = declaration && checker.getSignatureFromDeclaration(declaration);
  const type = signature && checker.getReturnTypeOfSignature(signature);
  return type && isPromise(type) ? checker.getTypeArguments(type)[0] : type;
}

/** Whether an expression is the child of an element that escapes it. */
function isEscaped(node) {
  const child = ts.findAncestor(node, (above) => ts.isJsxExpression(above) || ts.isFunctionLike(above));
  const element = child?.parent;
  return element !== undefined && ts.isJsxElement(element) && getSafeAttribute(element.openingElement) !== undefined;
}

function visit(node) {
  const isBranch =
    ts.isConditionalExpression(node) || ts.isParenthesizedExpression(node) || ts.isArrayLiteralExpression(node);
  if (ts.isExpression(node) && !isJsx(ts, node) && !isBranch && !ts.isJsxExpression(node)) {
    if (isText(checker.getTypeAtLocation(node)) && isHtmlExpected(node) && !isEscaped(node))
      report(node, 'text where HTML is expected');
  }
  if (ts.isIdentifier(node) && /^(?:safe(?=[A-Z])|escape)/.test(node.text))
    report(node, 'a name that switches the scan off');
  if (ts.isAsExpression(node) && /^'safe'|Element|Children/.test(node.type.getText())) report(node, 'a cast to HTML');
  ts.forEachChild(node, visit);
}

for (const name of files) {
  const file = program.getSourceFile(name);
  for (const { start, messageText } of plugins(file)) report(ts.getTokenAtPosition(file, start), messageText);
  visit(file);
}
for (const place of places) console.log(place);
console.log(`${files.length} files, ${places.size} places where text may be unescaped`);
process.exitCode = files.length > 0 && places.size === 0 ? 0 : 1;
