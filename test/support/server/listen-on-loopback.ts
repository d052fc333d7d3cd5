import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface LoopbackListener {
  readonly port: number;
  /** So many came so far. */
  readonly connections: () => number;
}

/** A TCP server on every address of loopback, until the test is over; it says nothing unless told how to. */
export async function listenOnLoopback(greet: (socket: Socket) => void = () => {}): Promise<LoopbackListener> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}); // Whoever hangs up is the one that is tested.
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  // An address of TCP, as it listens to one.
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}
