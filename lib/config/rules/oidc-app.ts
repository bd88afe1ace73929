import type { Path } from "../path.ts";
import { type KnownNames, reportUnknownName } from "./names.ts";
import { indexesOf, type RuleContext } from "./rule.ts";

/** The rules of an `oidc` app: it authenticates, or it is public, and people sign in at what there is. */
export function oidcAppRules(context: RuleContext, app: Path, issuers: KnownNames): void {
  credentialRules(context, app);
  const idps = [...app, "authentication", "idps"];
  for (const index of indexesOf(context.at(...idps))) reportUnknownName(context, [...idps, index], issuers);
}

function credentialRules({ at, report }: RuleContext, app: Path): void {
  const path = [...app, "credentials"];
  const isPublic = at(...app, "public");
  if (isPublic === null) return;
  const credentials = at(...path);
  if (isPublic === true) {
    if (credentials !== undefined) report(path, "stands beside public: true; accepted: one of the two");
    return;
  }
  if (credentials === undefined) {
    report(path, "required unless the client is public; accepted: a mapping with secrets or jwks");
  } else if (at(...path, "secrets") === undefined && at(...path, "jwks") === undefined) {
    report(path, "found neither secrets nor jwks; accepted: one at least");
  }
}
