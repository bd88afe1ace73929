import { nearest } from "../../config/suggest.ts";
import type { Operation, Parameter } from "./operations.ts";
import { isToken, isUnsupported, LOCATIONS, locationOf } from "./parameters.ts";
import { bounded } from "./plain.ts";

/** Characters of a name that are shown. */
const NAME_LENGTH = 100;

/** The parameter that a call cannot send and cannot go without, for people. */
export function unsupportedParameter({ parameters }: Operation): string | undefined {
  const first = parameters.find((parameter) => parameter.definition.required === true && isUnsupported(parameter));
  if (first === undefined) return undefined;
  if (locationOf(first) === undefined) return misplaced(first);
  const name = bounded(first.name, NAME_LENGTH);
  return isToken(first.name) ? `the header ${name} is not the agent's to set` : `HTTP has no header "${name}"`;
}

/** Optional parameters at places that OpenAPI does not have: tools do without them. */
export function misplacedParameters({ parameters }: Operation): readonly string[] {
  return parameters
    .filter((parameter) => parameter.definition.required !== true && locationOf(parameter) === undefined)
    .map(misplaced);
}

function misplaced({ name, in: location }: Parameter): string {
  const meant = nearest(location, LOCATIONS);
  const help = meant === undefined ? `accepted: ${LOCATIONS.join(", ")}` : `did you mean "${meant}"?`;
  return `"${bounded(name, NAME_LENGTH)}" is in "${bounded(location, NAME_LENGTH)}"; ${help}`;
}
