import type { Call, Ending } from "./journal.ts";
import { messagesOf, type RpcAnswer } from "./messages.ts";
import type { Answered } from "./post.ts";
import { longText, type Said } from "./upstream/texts.ts";

/** What an answer is to the call that it came for: its own result, a clear error, or neither. */
export function readEnding(answered: Answered, id: number, call: Call): Ending {
  let messages: readonly RpcAnswer[];
  try {
    messages = messagesOf(answered);
  } catch (cause) {
    return wrong(`the status ${answered.status} with what is no JSON-RPC (${cause}): ${start(answered.text)}`);
  }
  const foreign = messages.find(({ method, params }) => method !== undefined && params?.progressToken !== call.nonce);
  if (foreign !== undefined) return wrong(`told of somebody else's call: ${start(foreign)}`);
  const answers = messages.filter(({ method }) => method === undefined);
  const [answer] = answers;
  if (answer === undefined) return wrong(`the status ${answered.status} and no answer: ${start(answered.text)}`);
  if (answers.length > 1) return wrong(`${answers.length} answers: ${start(answers)}`);
  if (answer.id !== id) return wrong(`an answer to ${answer.id}, where ${id} was asked: ${start(answer)}`);
  if (answer.error !== undefined) return readError(answer.error, answered);
  if (answered.status !== 200) return wrong(`the status ${answered.status} with a result`);
  return readResult(answer.result ?? {}, call);
}

function readError({ code, message }: NonNullable<RpcAnswer["error"]>, { status }: Answered): Ending {
  const isClear = Number.isSafeInteger(code) && typeof message === "string" && message.length > 10;
  return isClear ? { kind: "error", status, code, text: message } : wrong(`an error that says nothing: ${message}`);
}

function readResult(result: NonNullable<RpcAnswer["result"]>, call: Call): Ending {
  if (call.what === "list_tools") return Array.isArray(result.tools) ? { kind: "result" } : wrong(start(result));
  if (call.what === "list_resources")
    return Array.isArray(result.resources) ? { kind: "result" } : wrong(start(result));
  const parts = (call.what === "read" ? result.contents : result.content) as readonly { readonly text?: string }[];
  const [text = "", long] = parts?.map((part) => part.text ?? "") ?? [];
  const said = parsed(text);
  if (said === undefined)
    return result.isError === true && text.length > 10
      ? { kind: "failed_result", isUpstreams: false, text }
      : wrong(`a result that is not the tool's: ${start(result)}`);
  for (const [name, value] of Object.entries(expected(call)))
    if (said[name as keyof Said] !== value) return wrong(`"${name}" is "${said[name as keyof Said]}", not "${value}"`);
  if (call.what === "big" && long !== longText(call.nonce))
    return wrong(`${long?.length} characters, not as they were`);
  return result.isError === true ? { kind: "failed_result", isUpstreams: true, text } : { kind: "result" };
}

function expected({ app, what, nonce, principal, label }: Call): Said {
  return { app, what, nonce, principal, label };
}

/** What an upstream says; undefined for what the gateway does. */
function parsed(text: string): Said | undefined {
  try {
    return JSON.parse(text) as Said;
  } catch {
    // A sentence.
    return undefined;
  }
}

function wrong(text: string): Ending {
  return { kind: "wrong", text };
}

function start(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 300);
}
