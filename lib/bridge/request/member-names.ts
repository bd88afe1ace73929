import { isJsonObject } from "../../json.ts";
import type { OperationParameter } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import { styleOf } from "./styles.ts";
import { isDefined } from "./values.ts";

type Given = Readonly<Record<string, unknown>>;

/**
 * The members of an exploded object are parameters of their own. None may have the name of another that the document declares:
 * policies and schemas know that one by its own argument only. Throws a `RequestError`.
 */
export function refuseOthersNames(parameters: readonly OperationParameter[], given: Given): void {
  for (const parameter of parameters) {
    const value = given[parameter.argument];
    if (!isJsonObject(value) || !isSpread(parameter)) continue;
    const others = parameters.filter((other) => other !== parameter && placeOf(other) === placeOf(parameter));
    const names = new Set(others.map(({ name }) => name));
    const foreign = Object.keys(value).find((name) => names.has(name) && isDefined(value[name]));
    if (foreign === undefined) continue;
    throw new RequestError(parameter.argument, `must not have ${JSON.stringify(foreign)}, a parameter of its own`);
  }
}

/** Whether the names of members come to stand beside those of parameters. */
function isSpread({ in: location, name, content, ...style }: OperationParameter): boolean {
  if (location === "querystring") return content === undefined || content === "form";
  if ((location !== "query" && location !== "cookie") || content !== undefined) return false;
  const { style: known, explode } = styleOf({ ...style, name }, location);
  return explode && known !== "deepObject";
}

function placeOf({ in: location }: OperationParameter): string {
  return location === "querystring" ? "query" : location;
}
