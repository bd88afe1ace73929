import type { ServerResponse } from "node:http";
import { beginEvents, event } from "../http.ts";
import type { JsonObject } from "../json-rpc.ts";

/** How soon a client comes back for the rest of a stream, milliseconds. */
const RETRY = 50;

/** Events of one stream, which may come on several connections after each other (MCP 2025-11-25, Resumability and Redelivery). */
export interface ReplayableStream {
  send(message: JsonObject): void;
  /** Nothing comes after this; whoever asks later still gets what was sent. */
  end(): void;
  /** The events go to this connection from now on, beginning after the one that was seen last. */
  attach(response: ServerResponse, options: { readonly seen: number; readonly primed: boolean }): void;
  /** Ends the connection, not the stream. */
  hangUp(): void;
  isAttached(): boolean;
}

/** Ids of events are the stream's name and a number. */
export function createStream(name: string, onDelivered: () => void): ReplayableStream {
  const sent: JsonObject[] = [];
  let connection: ServerResponse | undefined;
  let isOver = false;

  const write = (message: JsonObject, number: number) => connection?.write(`id: ${name}_${number}\n${event(message)}`);
  const hangUp = () => {
    connection?.end();
    connection = undefined;
  };
  const finish = () => {
    if (connection === undefined || !isOver) return;
    hangUp();
    onDelivered();
  };
  return {
    send: (message) => write(message, sent.push(message)),
    end: () => {
      isOver = true;
      finish();
    },
    attach: (response, { seen, primed }) => {
      connection = response;
      response.once("close", () => {
        if (connection === response) connection = undefined;
      });
      beginEvents(response);
      if (primed) response.write(`id: ${name}_${seen}\nretry: ${RETRY}\ndata: \n\n`);
      for (const [index, message] of sent.entries()) if (index >= seen) write(message, index + 1);
      finish();
    },
    hangUp,
    isAttached: () => connection !== undefined,
  };
}

/** The stream and the number that an event's id consists of; undefined for what is none. */
export function readEventId(id: string): { readonly stream: string; readonly number: number } | undefined {
  const [, stream, number] = /^(\w+)_(\d+)$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}
