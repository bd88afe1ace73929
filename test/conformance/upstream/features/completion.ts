import type { RequestContext } from "../context.ts";
import { INVALID_PARAMS, isObject, type JsonObject, RpcError } from "../json-rpc.ts";

const WORDS = ["paris", "park", "party", "test", "testimony"] as const;

/** Completes every argument of every prompt and template from the same words. @throws RpcError for a reference of another kind */
export function complete({ params: { ref, argument } }: RequestContext): JsonObject {
  if (!isObject(ref) || (ref.type !== "ref/prompt" && ref.type !== "ref/resource"))
    throw new RpcError(INVALID_PARAMS, "params.ref must name a prompt or a resource.");
  if (!isObject(argument) || typeof argument.value !== "string")
    throw new RpcError(INVALID_PARAMS, "params.argument must have a name and a value.");
  const { value } = argument;
  const values = WORDS.filter((word) => word.startsWith(value));
  return { completion: { values, total: values.length, hasMore: false } };
}
