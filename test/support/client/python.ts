import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Runs each line of its input, a program as JSON, and says what that printed, or why it failed. */
const RUN_EACH = `
import contextlib, io, json, sys, traceback
for line in sys.stdin:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(json.loads(line), {"__name__": "__main__"})
        result = {"printed": printed.getvalue()}
    except BaseException:
        result = {"error": traceback.format_exc()}
    print(json.dumps(result), flush=True)
`;

/** Programs in Python, one after the other in one process: it imports a module once. */
export class Python {
  readonly #options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
  #child: ChildProcess | undefined;
  #lines: AsyncIterator<string> | undefined;

  constructor(options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
    this.#options = options;
  }

  /** Resolves to what a program prints; rejects where it fails. */
  async run(code: string): Promise<string> {
    if (this.#child === undefined) {
      const child = spawn('python3', ['-c', RUN_EACH], { ...this.#options, stdio: ['pipe', 'pipe', 'inherit'] });
      this.#child = child;
      this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    }
    this.#child.stdin?.write(`${JSON.stringify(code)}\n`);
    const { value = '{"error":"Python has ended"}' } = (await this.#lines?.next()) ?? {};
    const { printed, error }: { printed?: string; error?: string } = JSON.parse(value);
    if (printed === undefined) throw new Error(error);
    return printed.trim();
  }

  async end(): Promise<void> {
    if (this.#child === undefined) return;
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exited;
  }
}

const found = new Map<string, boolean>();

export function hasPython(...modules: readonly string[]): boolean {
  const names = modules.join(', ');
  const has = found.get(names) ?? canImport(names);
  found.set(names, has);
  return has;
}

function canImport(names: string): boolean {
  try {
    execFileSync('python3', ['-c', `import ${names}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
