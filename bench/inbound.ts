import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Dependencies } from "../lib/application/dependencies.ts";
import type { McpAuthorizationServer } from "../lib/config/configuration.ts";
import { authenticate } from "../lib/gateway/inbound/authenticate.ts";
import { createTrustedServers } from "../lib/gateway/inbound/trusted-servers.ts";
import { systemClock } from "../lib/kernel/clock.ts";
import { webCryptoRandom } from "../lib/kernel/random.ts";
import { lineLogger } from "../lib/logging/line-logger.ts";
import { jsonLine } from "../lib/logging/log-line.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, times } from "./support/statistics.ts";

const ROUNDS = 4;
/** Microseconds of CPU a validation. */
const LIMITS = { jwt: 150, introspection: 50 } as const;
/** Agents that call in turns. */
const TOKENS = 100;
const ISSUER = "https://as.example";
const RESOURCE = "https://gateway.example/mcp";

type Method = keyof typeof LIMITS;
type Algorithm = "RS256" | "ES256";
type Validate = (token: string) => Promise<void>;

/** What it costs to find out who sends a request, from the token on: JWTs and introspected tokens that were seen before. */
export async function benchInbound({ requests, warmUp }: BenchOptions): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const algorithm of ["RS256", "ES256"] as const) {
    const issuer = await createIssuer(algorithm);
    const seen = await issuer.tokens(TOKENS);
    findings.push(
      finding(`${algorithm} JWT, seen before`, "jwt", await measure(gateway(issuer, "jwt"), seen, warmUp, requests)),
    );
    const fresh = await issuer.tokens(warmUp / 10 + ROUNDS * TOKENS);
    const first = gateway(issuer, "jwt");
    const cpu = await cpuOf(fresh.slice(0, warmUp / 10), first).then(() => cpuOf(fresh.slice(warmUp / 10), first));
    findings.push({ what: `${algorithm} JWT, for the first time`, measured: microseconds(cpu), against: "" });
  }
  const opaque = Array.from({ length: TOKENS }, (_, n) => `opaque-${n}`);
  const introspecting = gateway(await createIssuer("ES256"), "introspection");
  const cpu = await measure(introspecting, opaque, warmUp, requests);
  return [...findings, finding("Introspected token, seen in the last five seconds", "introspection", cpu)];
}

function finding(what: string, method: Method, cpu: number): Finding {
  const limit = LIMITS[method];
  return {
    what,
    measured: microseconds(cpu),
    against: `${microseconds(limit)}, the limit`,
    ratio: times(cpu / limit),
    target: `≤ ${times(1)}`,
    met: cpu <= limit,
  };
}

/** Microseconds of CPU a validation, the threads that verify signatures included: the median of the rounds. */
async function measure(validate: Validate, tokens: readonly string[], warmUp: number, count: number): Promise<number> {
  const inTurns = (length: number) => Array.from({ length }, (_, n) => tokens[n % tokens.length] as string);
  await cpuOf(inTurns(warmUp), validate);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await cpuOf(inTurns(Math.ceil(count / ROUNDS)), validate));
  return median(rounds);
}

async function cpuOf(tokens: readonly string[], validate: Validate): Promise<number> {
  const before = process.cpuUsage();
  for (const token of tokens) await validate(token);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / tokens.length;
}

interface Issuer {
  readonly fetch: typeof globalThis.fetch;
  tokens(count: number): Promise<readonly string[]>;
}

async function createIssuer(algorithm: Algorithm): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  const jwk = { ...(await exportJWK(publicKey)), kid: "key", alg: algorithm, use: "sig" };
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const claims = {
    iss: ISSUER,
    aud: RESOURCE,
    client_id: "agent",
    scope: "notes:read notes:write",
    iat: exp - 3_600,
    exp,
  };
  const answers: Readonly<Record<string, unknown>> = {
    "/.well-known/openid-configuration": {
      issuer: ISSUER,
      jwks_uri: `${ISSUER}/jwks`,
      introspection_endpoint: `${ISSUER}/introspection`,
    },
    "/jwks": { keys: [jwk] },
    "/introspection": { active: true, ...claims },
  };
  return {
    fetch: async (input) => Response.json(answers[new URL(String(input)).pathname]),
    tokens: (count) =>
      Promise.all(
        Array.from({ length: count }, (_, n) =>
          new SignJWT({ ...claims, sub: `user-${n}`, jti: crypto.randomUUID(), email: `user-${n}@example.com` })
            .setProtectedHeader({ alg: algorithm, typ: "at+jwt", kid: "key" })
            .sign(privateKey),
        ),
      ),
  };
}

/** The part of a gateway that validates tokens, with one server. Throws for a token that it does not accept. */
function gateway({ fetch }: Issuer, method: Method): Validate {
  const write = (): void => undefined;
  const logger = lineLogger({ level: "error", format: jsonLine, write, clock: systemClock, soid: "bench" });
  const dependencies = { fetch, logger, clock: systemClock, random: webCryptoRandom } as unknown as Dependencies;
  const settings: McpAuthorizationServer = {
    wellKnownEndpoint: `${ISSUER}/.well-known/openid-configuration`,
    refreshInterval: 86_400_000,
    expectedAudiences: [RESOURCE],
    method,
    clockSkew: 0,
    introspection: { clientID: "gateway", clientSecret: "secret", timeout: 1_000, maxRetries: 0 },
  };
  const servers = createTrustedServers([settings], undefined, dependencies);
  const parts = { servers, ownTokenPrefix: undefined, clock: dependencies.clock };
  const context = { remoteAddress: "203.0.113.1", waitUntil: () => undefined };
  return async (token) => {
    const { outcome } = await authenticate(token, parts, context);
    if (outcome !== "accepted") throw new Error(`a token was ${outcome}`);
  };
}

function microseconds(value: number): string {
  return `${value.toFixed(1)} µs`;
}
