import type { Fault } from './upstream-server.ts';

/** What upstreams do instead of sending the file. */

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Fault {
  return (response) => response.writeHead(code, headers).end('an error');
}

/** Half of the body, then the connection is closed. */
export const cutOff: Fault = (response, file) => {
  response.writeHead(200, { 'content-length': file.length });
  response.write(file.subarray(0, Math.ceil(file.length / 2)), () => response.socket?.destroy());
};

/** Half of a body without a length, then the connection is closed. */
export const cutOffChunks: Fault = (response, file) => {
  response.writeHead(200);
  response.write(file.subarray(0, Math.ceil(file.length / 2)), () => response.socket?.destroy());
};

/** Half of the body, and nothing more for ever. */
export const stuck: Fault = (response, file) => {
  response.writeHead(200, { 'content-length': file.length });
  response.write(file.subarray(0, Math.ceil(file.length / 2)));
};

export const silent: Fault = () => undefined;

/** The connection is closed before there is an answer. */
export const hungUp: Fault = (response) => response.socket?.destroy();

export function wrongLength(by: number): Fault {
  return (response, file) => {
    response.socket?.end(
      Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${file.length + by}\r\n\r\n`), file]),
    );
  };
}

export function htmlPage(type = 'text/html; charset=utf-8'): Fault {
  return (response) =>
    response.writeHead(200, { 'content-type': type }).end('<!DOCTYPE html><html><h1>Back soon</h1></html>');
}

export function redirectTo(location: string, code = 302): Fault {
  return (response) => response.writeHead(code, { location }).end();
}

export function respondWith(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Fault {
  return (response) => response.writeHead(200, headers).end(body);
}
