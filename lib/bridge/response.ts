import { essence, isJson } from "../http/media-type.ts";
import { readBody } from "../http/read-body.ts";
import { isJsonObject, jsonExceeds } from "../json.ts";
import type { BridgeTool } from "./catalog.ts";
import { type ReportProgress, reportReading } from "./progress.ts";
import { errorResult, type ToolResult, textResult } from "./tool-result.ts";
import type { SchemaCheck } from "./validation.ts";

/** The result for the agent and what the audit record says of the call. */
export interface Invocation {
  readonly result: ToolResult;
  readonly outcome: "success" | "tool_error" | "upstream_error" | "cancelled";
  readonly reason?: string;
}

export const RESPONSE_LIMIT = 4 * 1024 * 1024;
/** Levels of a JSON answer: what writes JSON uses the stack for each. */
const MAX_DEPTH = 1_000;

/** Turns the upstream's answer into a result. Nothing failed looks like success (checklist 29). */
export async function readResponse(
  tool: BridgeTool,
  response: Response,
  { check, progress }: { readonly check: SchemaCheck; readonly progress?: ReportProgress },
): Promise<Invocation> {
  const body = await readBody(response, RESPONSE_LIMIT, progress && reportReading(response, progress));
  if (body === undefined) {
    return failed("response_too_large", `The API's answer is longer than ${RESPONSE_LIMIT} bytes and was not read.`);
  }
  const mediaType = essence(response.headers.get("content-type"));
  const text = isText(mediaType) ? decode(body, response) : undefined;
  if (!response.ok) return refused(response, text, mediaType, body.byteLength);
  if (isJson(mediaType) && text !== undefined && text.trim() !== "") return readJson(tool, text, check);
  if (tool.outputSchema !== undefined)
    return unexpected(tool, text, `it is ${mediaType || "without a type"}, not JSON`);
  if (body.byteLength === 0) return succeeded(textResult(statusLine(response)));
  if (text !== undefined) return succeeded(textResult(text));
  return succeeded(textResult(withheld(response, mediaType, body.byteLength)));
}

function readJson(tool: BridgeTool, text: string, check: SchemaCheck): Invocation {
  const json = parse(text);
  if (json === undefined) return unexpected(tool, text, "it is not valid JSON");
  const { value } = json;
  if (jsonExceeds(value, { depth: MAX_DEPTH }))
    return unexpected(tool, text, `it is nested over ${MAX_DEPTH} levels deep`);
  const problems = tool.outputSchema === undefined ? [] : check(tool.outputSchema, value);
  if (problems.length > 0) return unexpected(tool, text, problems.join("; "));
  const structured = isJsonObject(value) ? { structuredContent: value } : {};
  return succeeded({ ...textResult(text), ...structured });
}

function succeeded(result: ToolResult): Invocation {
  return { result, outcome: "success" };
}

function failed(reason: string, text: string): Invocation {
  return { result: errorResult(text), outcome: "upstream_error", reason };
}

/** The request was carried out, but a client would refuse this answer under the tool's output schema. */
function unexpected(tool: BridgeTool, text: string | undefined, problem: string): Invocation {
  const note = `The API accepted the ${tool.request.method} request, but its answer is not as documented: ${problem}.`;
  return failed("unexpected_response", text === undefined ? note : `${note}\n\n${text}`);
}

function refused(response: Response, text: string | undefined, mediaType: string, length: number): Invocation {
  const redirect = response.status >= 300 && response.status < 400 ? " (redirects are not followed)" : "";
  const body = text ?? (length > 0 ? `[${length} bytes of ${mediaType || "unknown type"}]` : "");
  return {
    result: errorResult([`${statusLine(response)}${redirect}`, body].filter(Boolean).join("\n\n")),
    outcome: response.status >= 500 ? "upstream_error" : "tool_error",
    reason: `http_${response.status}`,
  };
}

function withheld(response: Response, mediaType: string, length: number): string {
  return `${statusLine(response)}: the answer is ${length} bytes of ${mediaType || "unknown type"}, which cannot be shown here.`;
}

function statusLine({ status, statusText }: Response): string {
  return statusText === "" ? `HTTP ${status}` : `HTTP ${status} ${statusText}`;
}

function isText(mediaType: string): boolean {
  return (
    mediaType.startsWith("text/") ||
    isJson(mediaType) ||
    /^application\/(.*\+)?(xml|yaml|x-ndjson|jsonl)$/.test(mediaType)
  );
}

function decode(body: Uint8Array, response: Response): string {
  const [, charset = "utf-8"] = /charset="?([\w-]+)/i.exec(response.headers.get("content-type") ?? "") ?? [];
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    // The label is the upstream's invention; UTF-8 is what nearly everyone sends.
    return new TextDecoder().decode(body);
  }
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The caller tells the agent.
    return undefined;
  }
}
