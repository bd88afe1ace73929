import type { AppConfiguration } from "../../config/app-configuration.ts";
import type { PolicyConfiguration } from "../../config/policy-engines.ts";
import type { WebAppConfiguration } from "../../config/web-app-configuration.ts";
import type { PolicyCaller, WebRequestInput } from "./policy-input.ts";
import type { Asked } from "./step.ts";

/** The policies of one location of a web app, as `createPolicies` takes them. */
interface WebPolicySet {
  readonly name: string;
  readonly policies: readonly PolicyConfiguration[];
}

/** The policies of all web apps, by app and place in its file. */
export function webPolicySets(apps: readonly AppConfiguration[]): readonly WebPolicySet[] {
  return apps
    .filter((app) => app.type === "proxy")
    .flatMap((app) => app.policies.map(({ policies }, index) => ({ name: nameOf(app, index), policies })));
}

/**
 * A request for a web app, to be decided on. People in browsers have no scopes: those are asked of programs' tokens.
 *
 * @param index of the policy whose location takes the request
 * @throws Error where nobody is authenticated and the policy wants somebody: whoever asks has to know before
 */
export function askedWebRequest(
  app: WebAppConfiguration,
  index: number,
  http: WebRequestInput,
  caller: PolicyCaller,
): Asked {
  const policy = app.policies[index];
  if (policy === undefined) throw new Error(`the web app ${app.name} has no policy ${index}`);
  const { identity } = caller;
  if (identity === undefined && !policy.allowUnauthenticated)
    throw new Error(`a request for the web app ${app.name} by nobody came as far as its decision`);
  const scopes = identity?.agent === undefined ? [] : (policy.bearer?.scopes ?? []);
  return { app, policySet: nameOf(app, index), scopes, stepUp: undefined, subject: { method: "http", http }, caller };
}

function nameOf({ name }: Pick<WebAppConfiguration, "name">, index: number): string {
  return `${name}#${index}`;
}
