import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { hostSessionValue } from "../../lib/directory/host-sessions.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { personId } from "../../lib/stores/identities.ts";
import { type ExplainedRequest, explainRequest, type RequestExplanation } from "../../lib/web-apps/explain-request.ts";
import { type InProcess, inProcessConfiguration, startInProcess } from "../support/in-process.ts";
import { type Issuer, startIssuer } from "../support/token-issuer.ts";
import { CONNECTORS, changesFor, PROGRAM, type Sent, sent } from "./explained-requests.ts";

/** `COUNTERSIGN_CASES` says how many. */
const CASES = Number(process.env.COUNTERSIGN_CASES ?? 200);

let product: InProcess;
let issuer: Issuer;
let current: Partial<typeof inProcessConfiguration> = {};
let revision = 1;
/** What the upstream of each request got. */
const arrived: { readonly origin: string; readonly headers: Headers }[] = [];
const tokens = new Map<string, string>();

beforeAll(async () => {
  issuer = await startIssuer();
  product = await startInProcess({
    adapt: (dependencies) => ({
      ...dependencies,
      configuration: () => ({ revision, configuration: { ...inProcessConfiguration, ...current } }),
      forward:
        () =>
        async ({ origin, headers }) => {
          arrived.push({ origin, headers: new Headers([...headers].map(([name, value]) => [name, value])) });
          return { status: 200, headers: new Headers(), body: null };
        },
    }),
  });
  product.clock.set(Date.now());
});
afterAll(async () => {
  await Promise.all([product.close(), issuer.stop()]);
});

describe("an explanation of a request for a web app", () => {
  test("says what is answered, why, and what the upstream is told", async () => {
    await fc.assert(fc.asyncProperty(sent, agree), { numRuns: CASES });
  }, 600_000);
});

async function agree(request: Sent): Promise<void> {
  current = changesFor(request, issuer.wellKnown);
  revision += 1;
  // Nobody has too many requests.
  product.clock.set(product.clock.now() + 1_000);
  arrived.length = 0;
  const answer = await answered(request);
  const explanation = await explained(request);
  const first = explanation.steps.find(({ decision }) => decision === "denied");
  const step = first?.step === "token" || first?.step === "sign-in" ? "who" : first?.step;
  expect({ decision: explanation.decision, step }).toEqual(answer);
  if (answer.decision === "denied") return;
  const [{ headers } = { headers: new Headers() }] = arrived;
  const told = new Map(explanation.headers.map(({ name, value }) => [name, value]));
  for (const name of ["x-user", "x-department", "x-who", "x-agent", "x-fixed"])
    expect(headers.get(name) ?? undefined).toBe(told.get(name));
}

async function explained({ apps: _, who, ...asked }: Sent): Promise<RequestExplanation> {
  const { kind: __, ...claimed } = who.kind === "program" ? { kind: who.kind, claims: claimsOf(who) } : who;
  const { configuration } = product.dependencies.configuration();
  const request: ExplainedRequest = { app: "payroll", ...asked, ...claimed };
  const explanation = await explainRequest(request, configuration, { fetch: neverAsked, clock: product.clock });
  return explanation ?? expect.fail("there is such an app");
}

const neverAsked = async (): Promise<Response> => expect.fail("no server of a policy is configured");

type Program = Extract<Sent["who"], { readonly kind: "program" }>;

function claimsOf({ audience, scope, user }: Program): JsonObject {
  return { iss: issuer.url, aud: audience, sub: user, client_id: PROGRAM, scope };
}

/** What the product does with the request, told by the step that ended it. */
async function answered(request: Sent): Promise<{ readonly decision: string; readonly step: string | undefined }> {
  const { method, host, path, who } = request;
  const isOwnHost = host === "us.example";
  const response = await product.send(isOwnHost ? path : `https://${host}${path}`, {
    method,
    headers: { "sec-fetch-mode": "cors", ...(await credentialsOf(request)) },
  });
  if (isWiki(request)) return denied("route");
  const body = await response.text();
  const { type = "", detail = "" } = body.startsWith("{") ? (JSON.parse(body) as Record<string, string>) : {};
  switch (response.status) {
    case 200:
      return { decision: "allowed", step: undefined };
    case 400:
      return denied(type.endsWith("ambiguous_path") ? "location" : "path");
    case 401:
      return denied("who");
    case 404:
      return denied("route");
    case 502:
      return denied("header");
    default:
      expect([response.status, who.kind]).toEqual([403, expect.any(String)]);
      if (response.headers.has("www-authenticate")) return denied("scopes");
      if (detail.startsWith("No policy")) return denied("location");
      return denied(detail.includes("not there for you") ? "app" : "policy");
  }
}

function denied(step: string) {
  return { decision: "denied", step };
}

/** Of another app. */
function isWiki({ host, path }: Sent): boolean {
  return host === "us.example" && path.startsWith("/payroll/wiki");
}

async function credentialsOf({ who, host }: Sent): Promise<Readonly<Record<string, string>>> {
  if (who.kind === "nobody") return {};
  if (who.kind === "program") {
    const { audience, scope, user } = who;
    const key = JSON.stringify([audience, scope, user]);
    const token = tokens.get(key) ?? (await issuer.issue(audience, { client: PROGRAM, scope, user }));
    tokens.set(key, token);
    return { authorization: `Bearer ${token}` };
  }
  const { connector, claims } = who;
  const settings = CONNECTORS.find(({ name }) => name === connector) ?? expect.fail("it is one of them");
  const { sub, aud: _, azp: __, ...kept } = claims;
  const key = { issuer: new URL(settings.wellKnownURL).origin, subject: String(sub) };
  const signIn = { connector, ...key, claims: kept };
  const session = await startBrowserSession(product.dependencies, personId(key), { signIn });
  const bound = await hostSessionValue(sha256base64url(session), host, product.dependencies);
  return { cookie: `__Host-countersign=${host === "us.example" ? session : bound}` };
}
