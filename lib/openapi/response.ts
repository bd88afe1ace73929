import { readBody } from "../protocol/http/read-body.ts";
import { textBlock } from "../protocol/mcp/tool-result.ts";
import { reportReading } from "./progress.ts";
import { bodyAnswer, emptyAnswer } from "./response/body.ts";
import { factsOf } from "./response/facts.ts";
import { BrokenOffError, failed, type Invocation, type Reading } from "./response/invocation.ts";
import { type Kind, kindOf } from "./response/kind.ts";
import { readRefusal, redirectAnswer } from "./response/refused.ts";
import { readStream } from "./response/stream.ts";

/** Bytes of an answer, decoded. */
export const RESPONSE_LIMIT = 4 * 1024 * 1024;
/** Bytes of what is neither text, image nor audio: few agents can do anything with it. */
export const BLOB_LIMIT = 1024 * 1024;

/**
 * Turns the upstream's answer into a result. Nothing failed looks like success (checklist 29). Throws a `BrokenOffError`
 * where there is nothing to tell of the answer.
 */
export async function readResponse(reading: Reading): Promise<Invocation> {
  const { tool, response } = reading;
  if (!response.ok) return (await redirectAnswer(reading)) ?? readRefusal(reading);
  const invocation = await readSuccess(reading);
  const facts = factsOf(tool, response).map(textBlock);
  if (facts.length === 0) return invocation;
  return { ...invocation, result: { ...invocation.result, content: [...invocation.result.content, ...facts] } };
}

async function readSuccess(reading: Reading): Promise<Invocation> {
  const { tool, response } = reading;
  // Such an answer may declare the length of what it leaves out (RFC 9110 §8.6).
  if (response.body === null || tool.request.method === "HEAD") return emptyAnswer(reading);
  const kind = kindOf(response.headers.get("content-type"));
  if (kind === "events" || kind === "lines") return readStream(kind, reading);
  return readWhole(kind, reading);
}

async function readWhole(kind: Kind, reading: Reading): Promise<Invocation> {
  const { response, progress } = reading;
  const limit = kind === "other" ? BLOB_LIMIT : RESPONSE_LIMIT;
  const onRead = progress && reportReading(response, progress);
  const body = await readBody(response, limit, onRead).catch(() => {
    throw new BrokenOffError();
  });
  if (body !== undefined) return bodyAnswer(body, kind, reading);
  const problem = `The API's answer is longer than ${limit} bytes and was not read.`;
  const advice = kind === "other" ? "" : " Ask for less, if the tool has arguments for it: a page, a filter.";
  return failed("response_too_large", `${problem}${advice}`);
}
