/** An event of a stream (HTML Standard §9.2), or a comment between two. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
  readonly id?: string;
  /** Milliseconds after which a client comes back. */
  readonly retry?: string;
}

/** An event stream that a test reads as it comes. */
export interface EventReader {
  /** The next event that is no comment; undefined when the stream has ended. */
  next(): Promise<StreamEvent | undefined>;
  /** The JSON-RPC message of the next event. */
  message(): Promise<Message | undefined>;
  /** The next comment; what comes before it is passed over. Undefined when the stream has ended. */
  comment(): Promise<string | undefined>;
  /** Everything until the stream ends, comments left out. */
  rest(): Promise<readonly Message[]>;
  /** Leaves. */
  cancel(): Promise<void>;
}

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** @param response whose body is an event stream */
export function readEvents({ body }: Response): EventReader {
  if (body === null) throw new Error("There is no stream.");
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = "";
  const block = async (): Promise<string | undefined> => {
    while (!text.includes("\n\n")) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
    const end = text.indexOf("\n\n");
    const found = text.slice(0, end);
    text = text.slice(end + 2);
    return found;
  };
  const next: EventReader["next"] = async () => {
    for (let found = await block(); found !== undefined; found = await block()) {
      if (!found.startsWith(":")) return parse(found);
    }
    return undefined;
  };
  const message: EventReader["message"] = async () => {
    let event = await next();
    // The first one of a stream that can be resumed is there for its id.
    while (event?.data === "") event = await next();
    return event && (JSON.parse(event.data) as Message);
  };
  return {
    next,
    message,
    comment: async () => {
      for (let found = await block(); found !== undefined; found = await block()) {
        if (found.startsWith(":")) return found.slice(1).trim();
      }
      return undefined;
    },
    rest: async () => {
      const messages: Message[] = [];
      for (let found = await message(); found !== undefined; found = await message()) messages.push(found);
      return messages;
    },
    cancel: () => reader.cancel(),
  };
}

function parse(block: string): StreamEvent {
  const fields = block.split("\n").map((line) => /^([a-z]+): ?(.*)$/.exec(line) ?? []);
  const valuesOf = (wanted: string) => fields.filter(([, name]) => name === wanted).map(([, , value = ""]) => value);
  const [[id], [retry]] = [valuesOf("id"), valuesOf("retry")];
  return {
    type: valuesOf("event")[0] ?? "message",
    data: valuesOf("data").join("\n"),
    ...(id !== undefined && { id }),
    ...(retry !== undefined && { retry }),
  };
}

/** The messages of an answer, whether it is JSON or a stream. */
export async function messagesOf(response: Response): Promise<readonly Message[]> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) return readEvents(response).rest();
  const text = await response.text();
  // Nothing is left to answer.
  if (text === "") return [];
  const body = JSON.parse(text) as Message | readonly Message[];
  return "length" in body ? body : [body];
}

/** The answer to the request with this id; rejects when there is none. */
export async function answerTo(response: Response, id: string | number = 1): Promise<Message> {
  const messages = await messagesOf(response);
  const found = messages.find((message) => message.id === id && message.method === undefined);
  if (found === undefined) throw new Error(`no answer to ${id}: ${JSON.stringify(messages)}`);
  return found;
}
