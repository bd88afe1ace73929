import type { Context } from "hono";
import { readFields } from "../../lib/kernel/fields.ts";
import { isJsonObject, type JsonObject } from "../../lib/kernel/json.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { readBody } from "../../lib/protocol/http/read-body.ts";
import type { Env } from "../env.ts";
import { isJson } from "./csrf.ts";

const MAX_BYTES = 65_536;

/**
 * The JSON value of the request's body; undefined when the body is empty.
 *
 * @param maxBytes 64 KiB unless given
 * @throws ProblemError `body_too_large` above that, `invalid_body`
 */
export async function readJsonBody(c: Context<Env>, maxBytes = MAX_BYTES): Promise<unknown> {
  const text = await readText(c, maxBytes);
  if (text === "") return undefined;
  if (!isJson(c.req.header("Content-Type") ?? "")) {
    throw new ProblemError("invalid_body", "Send the body as application/json.");
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProblemError("invalid_body", "The body is not JSON.", { cause });
  }
}

/**
 * The JSON object of the request's body.
 * @throws ProblemError `body_too_large`, `invalid_body`
 */
export async function readJsonObject(c: Context<Env>): Promise<JsonObject> {
  const value = await readJsonBody(c);
  if (isJsonObject(value)) return value;
  throw new ProblemError("invalid_body", "The body must be a JSON object.");
}

/**
 * For requests that say nothing: no body, or an object without members.
 * @throws ProblemError `body_too_large`, `invalid_body`, `invalid_field`
 */
export async function readEmptyBody(c: Context<Env>): Promise<void> {
  readFields((await readJsonBody(c)) ?? {}, []).finish();
}

/**
 * A JSON answer that no cache keeps. An endpoint has to name the type of the answer, one of `lib/management/schemas`, so that
 * it answers what the OpenAPI document says.
 */
export function answerJson<Answer extends object = never>(
  c: Context<Env>,
  value: NoInfer<Answer>,
  status: 200 | 201 | 202 = 200,
): Response {
  c.header("Cache-Control", "no-store");
  return c.json(value, status);
}

/** 204, which no cache keeps. */
export function answerNothing(c: Context<Env>): Response {
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
}

async function readText(c: Context<Env>, maxBytes: number): Promise<string> {
  const bytes = await readBody(c.req.raw, maxBytes);
  if (bytes === undefined) {
    throw new ProblemError("body_too_large", `The body may have at most ${maxBytes} bytes.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ProblemError("invalid_body", "The body is not UTF-8.", { cause });
  }
}
