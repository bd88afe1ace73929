import { errorResult, textResult } from "../../protocol/mcp/tool-result.ts";
import { bytesOf, factsOf, locationOf, statusLine } from "./facts.ts";
import { BrokenOffError, ERROR_LIMIT, type Invocation, type Reading, succeeded } from "./invocation.ts";
import { kindOf } from "./kind.ts";
import { type BodyPart, decode, readPart, textIn } from "./text.ts";

/** An answer of no success. Its body may break off or never end: what counts is known by then. */
export async function readRefusal({ tool, response, interruption }: Reading): Promise<Invocation> {
  const part = await readPart(response, ERROR_LIMIT);
  if (part.end === "broken" && interruption?.() === "cancelled") throw new BrokenOffError();
  const texts = [
    `${statusLine(response)}${redirection(response)}`,
    bodyText(response, part),
    ...factsOf(tool, response),
  ];
  return {
    result: errorResult(texts.filter((text) => text !== "").join("\n\n")),
    outcome: response.status >= 500 ? "upstream_error" : "tool_error",
    reason: `http_${response.status}`,
  };
}

function redirection(response: Response): string {
  const { status } = response;
  if (status < 300 || status >= 400 || status === 304) return "";
  const location = locationOf(response);
  return ` (redirects are not followed${location === undefined ? "" : `; this one leads to ${location}`})`;
}

function bodyText(response: Response, { bytes, end }: BodyPart): string {
  if (bytes.byteLength === 0) return "";
  const contentType = response.headers.get("content-type");
  const kind = kindOf(contentType);
  const isMedia = kind === "image" || kind === "audio";
  const isCut = end !== "whole";
  const text = kind === "other" ? textIn(bytes, isCut) : isMedia ? undefined : decode(bytes, contentType, isCut);
  return `${text ?? `[${bytesOf(response, bytes.byteLength)}]`}${ENDS[end]}`;
}

const ENDS: Readonly<Record<BodyPart["end"], string>> = {
  whole: "",
  limit: `\n[The answer goes on; only its first ${ERROR_LIMIT} bytes were read.]`,
  broken: "\n[The answer broke off here.]",
};

/** A redirect that is the success which the document declares, for example to a download; undefined for anything else. */
export async function redirectAnswer({ tool, response }: Reading): Promise<Invocation | undefined> {
  const { status } = response;
  if (tool.request.redirects !== true || status < 300 || status >= 400 || status === 304) return undefined;
  const location = locationOf(response, { withQuery: true });
  if (location === undefined) return undefined;
  await response.body?.cancel();
  return succeeded(textResult(`${statusLine(response)}: the answer is at ${location} and was not fetched.`));
}
