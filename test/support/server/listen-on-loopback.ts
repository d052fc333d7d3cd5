import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnFreePort } from '../processes/servers.ts';

/** A TCP server on every address of loopback, until the test is over; it says nothing unless told how to. */
export async function listenOnLoopback(greet: (socket: Socket) => void = () => {}) {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}); // Whoever hangs up is the one that is tested.
    greet(socket);
  });
  const port = await listenOnFreePort(server);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port, connections: () => connections };
}
