import { isJsonObject, type JsonObject } from "../../kernel/json.ts";

/**
 * The same object with the texts at the path exchanged; `*` stands for each entry of a list. As it is where there are none.
 * What is not on the path is shared with the original.
 */
export function exchangeText(
  value: JsonObject,
  path: readonly string[],
  exchange: (text: string) => string,
): JsonObject {
  const exchanged = exchangeIn(value, path, exchange);
  return isJsonObject(exchanged) ? exchanged : value;
}

function exchangeIn(value: unknown, path: readonly string[], exchange: (text: string) => string): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return typeof value === "string" ? exchange(value) : value;
  if (step === "*") return Array.isArray(value) ? value.map((entry) => exchangeIn(entry, rest, exchange)) : value;
  if (!isJsonObject(value) || !Object.hasOwn(value, step)) return value;
  const inner = exchangeIn(value[step], rest, exchange);
  return inner === value[step] ? value : { ...value, [step]: inner };
}
