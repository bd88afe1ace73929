import { connect, type Socket } from "node:net";
import type { Target } from "./http-request.ts";
import { type HttpResponse, parseResponse } from "./http-response.ts";

export interface Exchange {
  /** The next request; undefined when there is none left. */
  next(): Buffer | undefined;
  /** What is wrong with an answer; undefined when nothing is. */
  accept(response: HttpResponse): string | undefined;
  /** Milliseconds from the request's writing to the answer's last byte. */
  record(latency: number): void;
}

/** Sends request after request over one kept-alive connection, each as soon as its predecessor is answered. */
export function exchangeAll({ host, port }: Target, { next, accept, record }: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    let sentAt = 0;
    let rest: Buffer | undefined;

    const send = (): void => {
      const request = next();
      if (request === undefined) {
        socket.end();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
    };
    const receive = (bytes: Buffer): void => {
      const received = rest === undefined ? bytes : Buffer.concat([rest, bytes]);
      const response = parseResponse(received);
      rest = response === undefined ? received : undefined;
      if (response === undefined) return;
      record(performance.now() - sentAt);
      const problem = response.length === received.length ? accept(response) : "More was sent than one answer.";
      if (problem === undefined) send();
      else fail(socket, new Error(problem), reject);
    };
    socket.once("connect", send);
    socket.on("data", (bytes) => {
      try {
        receive(bytes);
      } catch (error) {
        fail(socket, error, reject);
      }
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("The server closed a connection in use.")));
  });
}

function fail(socket: Socket, error: unknown, reject: (error: unknown) => void): void {
  socket.destroy();
  reject(error);
}
