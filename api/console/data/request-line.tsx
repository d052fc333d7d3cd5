import type { JSX } from 'preact';
import { Copyable } from '../shell/parts.tsx';

/** The request that gives what a page shows, to be pasted into a terminal. */
export function RequestLine({ url }: { readonly url: string }): JSX.Element {
  return (
    <details class="request">
      <summary>The same by the API</summary>
      <Copyable text={curlLine(url)} />
    </details>
  );
}

/** @param key what stands for the key: a shell variable unless told */
export function curlLine(url: string, key = '$MODELSTATS_KEY'): string {
  return `curl -H "Authorization: Bearer ${key}" "${url}"`;
}
