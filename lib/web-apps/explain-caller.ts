import { usefulClaims } from "../authorization-server/person-claims.ts";
import type { Configuration, ConnectorConfiguration } from "../config/configuration.ts";
import type { WebAppConfiguration, WebPolicyConfiguration } from "../config/web-app-configuration.ts";
import { keptClaims } from "../connectors/complete-sign-in.ts";
import { explainClaims } from "../gateway/explain/explain-token.ts";
import { allowed, denied, type ExplainedStep } from "../gateway/explain/explanation.ts";
import { ofOrganization } from "../gateway/explain/without-store.ts";
import type { JsonObject } from "../kernel/json.ts";
import { isSameIssuer, issuerFromWellKnown } from "../protocol/oauth/issuer.ts";
import { attributesOf } from "./caller.ts";
import { programServerSettings } from "./program.ts";
import { callerOfPerson, NOBODY, programCaller, type WebCaller } from "./who-asks.ts";

/** Who an explanation is about. */
export interface ClaimedCaller {
  /** Of the person, as the connector tells them, or of the program's token; absent: nobody is known. */
  readonly claims?: JsonObject | undefined;
  /** Where the person signed in; absent: a program, or a person at the first connector of a policy that is for people alone. */
  readonly connector?: string | undefined;
}

export interface ExplainedCaller {
  /** Undefined: nobody whom the request could be decided for. */
  readonly caller: WebCaller | undefined;
  readonly step: ExplainedStep;
}

/** Who would be asking, if what is claimed were true. */
export function explainCaller(
  { claims, connector }: ClaimedCaller,
  app: WebAppConfiguration,
  policy: WebPolicyConfiguration,
  configuration: Configuration,
  now: number,
): ExplainedCaller {
  if (policy.allowUnauthenticated) return { caller: NOBODY, step: allowed("sign-in", "nobody is asked who they are") };
  if (claims === undefined) return unknown(`nobody is signed in${waysIn(policy)}`);
  if (connector === undefined && policy.bearer !== undefined) return program(claims, app, policy, configuration, now);
  const name = connector ?? policy.idps[0];
  const settings = configuration.connectors.find((one) => one.name === name);
  if (name === undefined || settings === undefined || !policy.idps.includes(name))
    return unknown(`a sign-in at ${name ?? "any connector"} is not enough${waysIn(policy)}`);
  return person(claims, settings, configuration);
}

function program(
  claims: JsonObject,
  app: WebAppConfiguration,
  policy: WebPolicyConfiguration,
  configuration: Configuration,
  now: number,
): ExplainedCaller {
  const { identity, step } = explainClaims(claims, programServerSettings(policy, configuration), configuration, now);
  const [connector] = policy.idps;
  // Claims of a person look much like those of a token.
  const hint = step.decision === "denied" && connector !== undefined ? `; of a person: -connector ${connector}` : "";
  return {
    caller: identity && programCaller(ofOrganization(identity, app, configuration)),
    step: { ...step, why: step.why + hint },
  };
}

function person(
  claims: JsonObject,
  { name, wellKnownURL }: ConnectorConfiguration,
  configuration: Configuration,
): ExplainedCaller {
  const { iss, sub } = claims;
  const expected = issuerFromWellKnown(wellKnownURL);
  if (typeof sub !== "string" || sub === "") return unknown("sub is missing: it names the person");
  const issuer = typeof iss === "string" ? iss : expected;
  if (issuer === undefined || expected === undefined || !isSameIssuer(expected, issuer))
    return unknown(`iss is not that of the connector ${name}, as far as its address tells`);
  const kept = keptClaims(claims, usefulClaims(name, configuration));
  const signIn = { connector: name, issuer, subject: sub, claims: kept };
  const ends = { createdAt: 0, expiresAt: Number.MAX_SAFE_INTEGER };
  const caller = callerOfPerson(
    { signIn, attributes: attributesOf([signIn]), ...ends },
    { ownIssuer: configuration.oidcProvider?.issuer, memberId: undefined },
  );
  return { caller, step: allowed("sign-in", `${sub} at ${name}, here ${caller.principal?.user?.sub}`) };
}

function unknown(why: string): ExplainedCaller {
  return { caller: undefined, step: denied("sign-in", why) };
}

function waysIn({ idps, bearer }: WebPolicyConfiguration): string {
  const ways = [
    ...(idps.length > 0 ? [`people sign in at ${idps.join(" or ")}`] : []),
    ...(bearer === undefined ? [] : [`programs send a token for ${bearer.audiences.join(" or ")}`]),
  ];
  return ways.length === 0 ? ", and nobody can" : `: ${ways.join(", ")}`;
}
