import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { V1_ROUTES } from '../../../api/data/routes/data-routes.ts';
import { copyKeptView } from '../api/open-api.ts';
import { COMMAND } from './cli.ts';
import { ServerProcess } from './server-process.ts';

/** A backstop that is in nobody's way, as a setting. */
const WIDE_BACKSTOP = V1_ROUTES.map(({ name }) => `${name}=1000000`).join(',');

export interface ServingOptions {
  readonly store: string;
  readonly database: string;
  /** A folder of a store whose view it may begin with; unless given it builds its own. */
  readonly viewOf?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The Node that runs it; the one that runs the tests unless named. */
  readonly node?: string;
}

/** A process of `modelstats serve` on a free port, with a view of its own; it is ready when it serves data. */
export class ServingProcess extends ServerProcess {
  readonly #folder: string;
  #url = '';

  private constructor({ store, database, env, args = [], node = process.execPath }: ServingOptions, folder: string) {
    const settings = {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      NO_COLOR: '1',
      MODELSTATS_STORE: `file:${store}`,
      MODELSTATS_DATABASE: database,
      MODELSTATS_VIEW: join(folder, 'view'),
      MODELSTATS_WORK: join(folder, 'work'),
      MODELSTATS_PORT: '0',
      MODELSTATS_THREADS: '1',
      MODELSTATS_BACKSTOP: WIDE_BACKSTOP,
      ...env,
    };
    super([node, COMMAND, 'serve', '--json', ...args], (said) => this.#isReady(said), settings);
    this.#folder = folder;
  }

  static async start(options: ServingOptions): Promise<ServingProcess> {
    const serving = new ServingProcess(options, await mkdtemp(join(tmpdir(), 'modelstats-serving-')));
    if (options.viewOf !== undefined) await copyKeptView(options.viewOf, join(serving.#folder, 'view'));
    await serving.run();
    return serving;
  }

  get url(): string {
    return this.#url;
  }

  async dispose(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #isReady(said: string): Promise<boolean> {
    this.#url = /"url":"([^"]+)"/.exec(said)?.[1] ?? '';
    return this.#url !== '' && (await fetch(`${this.#url}/health/ready`)).ok;
  }
}
