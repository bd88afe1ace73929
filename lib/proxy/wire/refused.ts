import { isJsonObject, type JsonObject, parseJsonObject } from "../../json.ts";
import { type ByteSource, withoutMark } from "./byte-source.ts";
import { begin } from "./incoming.ts";
import { UpstreamFailure } from "./upstream-failure.ts";

/** HTTP status 400 and above. */
export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly headers: Headers;
  /** As the upstream wrote it. */
  readonly error?: RpcError;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Bytes of a body that may have an error. */
const LIMIT = 64 * 1024;

/** A refusal, with the JSON-RPC error that its body has. @throws {UpstreamFailure} `aborted` */
export async function readRefusal(
  { status, headers }: Pick<Response, "status" | "headers">,
  bytes: ByteSource,
): Promise<Refused> {
  const error = await readError(bytes);
  await bytes.cancel();
  return { kind: "refused", status, headers, ...(error !== undefined && { error }) };
}

async function readError(bytes: ByteSource): Promise<RpcError | undefined> {
  try {
    const { head, read } = await begin(withoutMark(bytes), LIMIT);
    return read === undefined ? errorIn(parseJsonObject(head)) : undefined;
  } catch (error) {
    // The status says enough where the body breaks off.
    if (error instanceof UpstreamFailure && error.reason === "broken_off") return undefined;
    throw error;
  }
}

function errorIn(body: JsonObject | undefined): RpcError | undefined {
  if (!isJsonObject(body?.error)) return undefined;
  const { code, message, data } = body.error;
  if (!Number.isSafeInteger(code) || typeof message !== "string") return undefined;
  return { code: code as number, message, ...(data !== undefined && { data }) };
}
