import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Notice, NoticeSchema } from '../../../pipeline/notices/notice.ts';
import { closeServer, listenOnFreePort } from '../processes/servers.ts';

/** An operator's receiver of notices on this machine, which keeps what it was sent. */
export class NoticeReceiver {
  readonly notices: Notice[] = [];
  readonly requests: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** What it answers: 200 unless set; `hang` for no answer at all. */
  answer: number | 'hang' = 200;
  host = '';
  readonly #server: Server;
  readonly #waiting: (() => void)[] = [];

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await text(request).catch(() => '');
      this.requests.push({ url: request.url ?? '', headers: request.headers });
      if (this.answer === 'hang') return;
      if (this.answer < 300) this.notices.push(NoticeSchema.parse(JSON.parse(body)));
      response.writeHead(this.answer, this.answer < 400 && this.answer >= 300 ? { location: '/other' } : {}).end('ok');
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  static async start(): Promise<NoticeReceiver> {
    const receiver = new NoticeReceiver();
    receiver.host = `127.0.0.1:${await listenOnFreePort(receiver.#server)}`;
    return receiver;
  }

  get url(): string {
    return `http://${this.host}/night`;
  }

  /** As `held 2026-11-20`, in the order in which they came. */
  get headlines(): readonly string[] {
    return this.notices.map(({ kind, day }) => `${kind} ${day}`);
  }

  async next(kind: Notice['kind']): Promise<Notice> {
    for (;;) {
      const found = this.notices.find((notice) => notice.kind === kind);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }
}
