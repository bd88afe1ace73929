import { isMap, isScalar, type YAMLMap } from "yaml";

/** `{{ env.NAME }}` without quotes is a mapping inside a mapping to YAML; files in the wild are written like that. */
export function unquotedPlaceholder(node: YAMLMap): string | undefined {
  const inner = onlyKey(node);
  if (!node.flow || !isMap(inner) || !inner.flow) return undefined;
  const name = onlyKey(inner);
  return isScalar(name) && typeof name.value === "string" ? `{{ ${name.value} }}` : undefined;
}

function onlyKey(node: YAMLMap): unknown {
  const [pair, second] = node.items;
  if (pair === undefined || second !== undefined) return undefined;
  return pair.value === null || (isScalar(pair.value) && pair.value.value === null) ? pair.key : undefined;
}
