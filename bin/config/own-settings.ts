import { z } from 'zod';
import { inUnits, Seconds, setting, wholeNumber } from '../../runtime/setting.ts';

/** Where the data of this machine lie. */
export const PLACE_SETTINGS = {
  store: setting('STORE', z.string(), {
    fallback: 'file:./data/store',
    text: 'where releases lie: `file:PATH` or `s3://bucket/prefix`',
    shown: 'address',
  }),
  work: setting('WORK', z.string().min(1), {
    fallback: './data/work',
    text: 'folder for runs, their reports and temporary files',
  }),
  source: setting('SOURCE', z.string().min(1).optional(), {
    text: 'folder with the raw data, when `--source` is not given',
  }),
};

/** Of commands that keep running. */
export const PROCESS_SETTINGS = {
  nightTimeoutMs: setting('NIGHT_TIMEOUT_SECONDS', inUnits(Seconds, 1000), {
    fallback: 21_600,
    text: 'longest run of a scheduled night, which is killed then and tried again',
  }),
  stopTimeoutMs: setting('STOP_TIMEOUT_SECONDS', inUnits(Seconds, 1000), {
    fallback: 25,
    text: 'how long what runs may go on when it is stopped: a night, requests; stay below what your platform grants (Kubernetes 30 s, Docker 10 s)',
  }),
  healthFile: setting('HEALTH_FILE', z.string().min(1).optional(), {
    text: 'JSON file that `schedule` keeps its health in, for `schedule --check`; keep it where a restart finds it',
  }),
  logLevel: setting('LOG_LEVEL', z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), {
    fallback: 'info',
    text: 'least weight of the log lines on stderr: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
  }),
};

/** Of `serve`. */
export const SERVE_SETTINGS = {
  host: setting('HOST', z.string().min(1), {
    fallback: '127.0.0.1',
    text: 'address that `serve` listens on; `0.0.0.0` for all',
  }),
  port: setting('PORT', wholeNumber(0, 65_535), {
    fallback: 8080,
    text: 'port that `serve` listens on; 0 for any free one, which it prints',
  }),
  drainMs: setting('DRAIN_SECONDS', inUnits(z.coerce.number().min(0).max(3_600), 1000), {
    fallback: 0,
    text: 'how long `serve` goes on answering when it is stopped, while `/health/ready` says 503: a little longer than a load balancer needs to notice; a part of `MODELSTATS_STOP_TIMEOUT_SECONDS`, and less than it',
  }),
};
