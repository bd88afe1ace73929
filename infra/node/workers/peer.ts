import { StoreUnavailableError } from "../../../lib/stores/unavailable.ts";

/** What one process of a server may ask of another, by name. */
export type Operations = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Another process of the server. */
export interface Peer<Theirs extends Operations> {
  /** Rejects with what the operation threw, and when the other process ends. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    ...args: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** Messages of the other process, as they came. */
  received(messages: unknown): void;
  /** Nothing comes of it any more. */
  ended(): void;
}

type Message =
  | { readonly id: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly error: string; readonly isOfStore: boolean };

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Calls between two processes. Calls and answers keep their order; those of one turn of the event loop go in one message, as a
 * message costs more than a call in it.
 *
 * @param send hands messages to the other process; false: it is gone
 * @param ours what the other process may call
 */
export function createPeer<Theirs extends Operations>(
  send: (messages: readonly Message[]) => boolean,
  ours: Operations,
): Peer<Theirs> {
  const pending = new Map<number, Pending>();
  let next = 0;
  let batch: Message[] = [];
  let isOver = false;

  const flush = (): void => {
    const messages = batch;
    batch = [];
    if (isOver || !send(messages)) ended();
  };
  const post = (message: Message): void => {
    if (batch.length === 0) setImmediate(flush);
    batch.push(message);
  };
  const ended = (): void => {
    isOver = true;
    for (const { reject } of pending.values()) reject(gone());
    pending.clear();
  };
  const carryOut = async (id: number, name: string, args: readonly unknown[]): Promise<void> => {
    try {
      const operation = ours[name] as ((...args: readonly unknown[]) => unknown) | undefined;
      if (operation === undefined) throw new Error(`There is no operation ${name}.`);
      const result = operation(...args);
      // What is answered at once is answered in the order of the calls.
      post({ answer: id, value: result instanceof Promise ? await result : result });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      post({ answer: id, error: message, isOfStore: error instanceof StoreUnavailableError });
    }
  };
  const settle = (message: Exclude<Message, { id: number }>): void => {
    const call = pending.get(message.answer);
    pending.delete(message.answer);
    if ("value" in message) call?.resolve(message.value);
    else call?.reject(message.isOfStore ? new StoreUnavailableError(message.error) : new Error(message.error));
  };

  return {
    call: (name, ...args) => {
      if (isOver) return Promise.reject(gone());
      return new Promise((resolve, reject) => {
        const id = next++;
        pending.set(id, { resolve: resolve as Pending["resolve"], reject });
        post({ id, name, args });
      });
    },
    received: (messages) => {
      for (const message of messages as readonly Message[]) {
        if ("id" in message) void carryOut(message.id, message.name, message.args);
        else settle(message);
      }
    },
    ended,
  };
}

function gone(): Error {
  return new StoreUnavailableError("another process of the server has ended");
}
