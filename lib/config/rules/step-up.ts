import type { Path } from "../path.ts";
import { indexesOf, lengthOf, type RuleContext } from "./rule.ts";

/** The rules of `authorization.inbound.stepUp[]`: each entry asks something, of some tools. */
export function stepUpRules({ at, report }: RuleContext, path: Path): void {
  for (const index of indexesOf(at(...path))) {
    const entry = [...path, index];
    if (typeof at(...entry) !== "object" || at(...entry) === null) continue;
    if (at(...entry, "acr") === undefined && at(...entry, "maxAge") === undefined) {
      report(entry, "found neither acr nor maxAge; accepted: one at least");
    }
    const tools = [...entry, "tools"];
    if (Array.isArray(at(...tools)) && lengthOf(at(...tools)) === 0) {
      report(tools, "found an empty list; accepted: at least one tool");
    }
  }
}
