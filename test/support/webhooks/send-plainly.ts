import { Agent, request } from 'undici';
import type { SendRequest } from '../../../api/webhooks/delivery/attempt-delivery.ts';

/** Sends to receivers of this machine, without the guard that outgoing requests have in use. */
export function plainSender(): { readonly send: SendRequest; close(): Promise<void> } {
  const agent = new Agent({ connections: 50, pipelining: 1 });
  const send: SendRequest = async ({ url, method, headers, body, timeoutMs, responseBytesMax, signal }) => {
    const began = performance.now();
    const durationMs = () => performance.now() - began;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
      const answer = await request(url, { method, headers, body, dispatcher: agent, signal: either });
      const bytes = new Uint8Array(await answer.body.arrayBuffer());
      return {
        kind: 'response',
        status: answer.statusCode,
        body: bytes.subarray(0, responseBytesMax),
        durationMs: durationMs(),
      };
    } catch (error) {
      const reason = timeout.aborted ? 'timeout' : 'connection';
      return { kind: 'failure', reason, message: String(error), durationMs: durationMs() };
    }
  };
  return { send, close: () => agent.destroy() };
}
