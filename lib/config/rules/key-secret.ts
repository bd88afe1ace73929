import { TOKEN_EXCHANGE } from "../served-grant-types.ts";
import { knownSignIn } from "../sign-in-names.ts";
import { grantTypesOf } from "./oidc-app.ts";
import { indexesOf, type Rule, type RuleContext } from "./rule.ts";

const PROVIDER = "oidcProvider";

/**
 * Workers and Lambda keep signing keys where others can read, so that they are encrypted; the secret for that is needed
 * exactly where the instance makes keys of its own. What a placeholder may still decide is looked at when it is filled; a
 * connector whose address is written counts already, because that of this very instance comes from the same placeholder.
 */
export const keySecretRule: Rule = ({ at, report }) => {
  if (at(PROVIDER) === undefined || at(PROVIDER, "keySecret") !== undefined) return;
  if (indexesOf(at(PROVIDER, "jwks")).some((index) => at(PROVIDER, "jwks", index, "privateKey") !== undefined)) return;
  const why = whatSigns(at);
  if (why === undefined) return;
  report(
    [PROVIDER, "keySecret"],
    `required on Workers and Lambda, because ${why} and no key of oidcProvider.jwks has a privateKey; accepted: at least 32 bytes as base64url, the same in every instance of the region`,
  );
};

function whatSigns(at: RuleContext["at"]): string | undefined {
  const { names: signIn } = knownSignIn(at());
  const canSignIn = (written: unknown): boolean =>
    written === undefined ? signIn.length > 0 : Array.isArray(written) && written.some((name) => signIn.includes(name));
  for (const index of indexesOf(at("apps"))) {
    const app = ["apps", index];
    if (at(...app, "type") !== "oidc") continue;
    const grants = grantTypesOf(at, app) ?? [];
    const isCode = grants.includes("authorization_code") && canSignIn(at(...app, "authentication", "idps"));
    if (grants.includes(TOKEN_EXCHANGE) || isCode) return "an oidc app gets tokens that are signed";
  }
  // Where metadata documents are not written about, they are on where there are keys (`assemble/registration.ts`).
  const key = ["clientIDMetadata", "dynamic"].find((one) => at(PROVIDER, "registration", one) === true);
  if (key === undefined || !canSignIn(at(PROVIDER, "registration", "idps"))) return undefined;
  return `people can sign in for clients that come by themselves (oidcProvider.registration.${key})`;
}
