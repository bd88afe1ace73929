import { keySecretRule } from "./key-secret.ts";
import { indexesOf, type Rule, type RuleContext } from "./rule.ts";

const REQUIRED = "required on Workers and Lambda";

/** What Workers and Lambda cannot make by themselves: they know neither their address nor a folder that is kept. */
export const edgeRules: Rule = (context) => {
  const { at, report } = context;
  if (at("http", "publicURL") === undefined) {
    report(["http", "publicURL"], `${REQUIRED}; accepted: the URL that clients use`);
  }
  stateSecretRule(context);
  if (at("oidcProvider") === undefined) return;
  if (at("oidcProvider", "region") === undefined) {
    report(["oidcProvider", "region"], `${REQUIRED}; accepted: a short name such as us or uk`);
  }
  if (at("oidcProvider", "apiClients", "idSecret") === undefined) {
    const accepted = "at least 32 bytes as base64url, the same in every instance of the region";
    report(["oidcProvider", "apiClients", "idSecret"], `${REQUIRED}; accepted: ${accepted}`);
  }
  keySecretRule(context);
};

/** Any instance may get back what another one has sealed for an agent. With `oidcProvider` its own secret serves. */
function stateSecretRule({ at, report }: RuleContext): void {
  if (at("mcpProvider", "enabled") !== true || at("oidcProvider") !== undefined) return;
  if (at("mcpProvider", "stateSecret") !== undefined) return;
  if (!indexesOf(at("apps")).some((index) => at("apps", index, "type") === "mcpProxy")) return;
  const accepted = "at least 32 bytes as base64url, the same in every instance of the region";
  report(["mcpProvider", "stateSecret"], `${REQUIRED} with an app of type mcpProxy; accepted: ${accepted}`);
}
