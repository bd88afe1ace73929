import type { Answered } from "./post.ts";

export interface RpcAnswer {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly progressToken?: unknown; readonly data?: unknown };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/**
 * The messages of an answer as clients read them: events of other types than `message` are passed over (HTML Standard §9.2).
 *
 * @throws SyntaxError for what is no JSON
 */
export function messagesOf({ type, text }: Pick<Answered, "type" | "text">): readonly RpcAnswer[] {
  if (!type.startsWith("text/event-stream")) return text === "" ? [] : [JSON.parse(text)];
  // What follows the last empty line is no event: its end never came.
  return text.split("\n\n").slice(0, -1).flatMap(messageOf);
}

export function messageOf(block: string): readonly RpcAnswer[] {
  const lines = block.split("\n");
  const event = lines
    .find((line) => line.startsWith("event:"))
    ?.slice("event:".length)
    .trim();
  const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice("data:".length).trimStart());
  const text = data.join("\n");
  // A stream that can be resumed begins with an event that has an id and nothing else.
  return text === "" || (event !== undefined && event !== "message") ? [] : [JSON.parse(text)];
}
