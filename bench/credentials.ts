import { type Candidate, startCountersign, startPeer } from "./support/candidates.ts";
import { type ConnectedCalls, openConnectedCalls } from "./support/connected-calls.ts";
import type { Finding } from "./support/finding.ts";
import { basic, serializePost } from "./support/http-request.ts";
import { keptCredential } from "./support/kept-credential.ts";
import { type LoadGenerator, startLoadGenerator } from "./support/load.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, milliseconds, times, whole } from "./support/statistics.ts";
import { type Contender, type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 4;
const MINIMUM_RATIO = 0.8;
/** Milliseconds of CPU that a credential adds which is kept already. */
const LIMIT = 0.05;
const CALLS = 10_000;
const CALL_ROUNDS = 9;

/** Microseconds of CPU that a live connection adds to a call, above a static credential. */
const CONNECTION_LIMIT = 60;
/** Short rounds, so that what the machine does beside them meets both alike. */
const CONNECTED_CALLS = 200;
const MOST_ROUNDS = 60;

const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** What credentials toward upstreams cost: exchanges at the authorization server, and kept ones in the gateway. */
export async function benchCredentials(options: BenchOptions): Promise<readonly Finding[]> {
  return [await kept(), ...(await ofConnections(options)), ...(await exchanges(options))];
}

/** With what tells one identity from another: the token's hash, and who is behind it. */
async function kept(): Promise<Finding> {
  const obtain = await keptCredential();
  const rounds: number[] = [];
  for (let round = 0; round < CALL_ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let count = 0; count < CALLS; count += 1) await obtain();
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / 1_000 / CALLS);
  }
  const cpu = median(rounds);
  return {
    what: "Credential that is kept",
    measured: milliseconds(cpu, 4),
    against: `the median of ${CALL_ROUNDS} times ${CALLS}`,
    target: `≤ ${milliseconds(LIMIT, 2)}`,
    met: cpu <= LIMIT,
  };
}

/**
 * A call of a Bridge tool whose credential is a person's live connection beside the same call with a static one, in turns in this
 * process with the store of a server, and what obtaining it takes alone.
 */
async function ofConnections({ folder, requests }: BenchOptions): Promise<readonly Finding[]> {
  const rounds = Math.min(MOST_ROUNDS, Math.max(1, Math.floor(requests / CONNECTED_CALLS)));
  const [plain, connected] = [
    await openConnectedCalls(folder, "static"),
    await openConnectedCalls(folder, "connection"),
  ];
  try {
    const [ofPlain, ofConnected, alone]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round <= rounds; round++) {
      const turns = round % 2 === 0 ? [plain, connected] : [connected, plain];
      const costs = new Map<ConnectedCalls, number>();
      for (const turn of turns) costs.set(turn, await cpuOf(turn.call, CONNECTED_CALLS));
      const obtained = await cpuOf(connected.obtain, CONNECTED_CALLS);
      // The first round warms up.
      if (round === 0) continue;
      ofPlain.push(costs.get(plain) ?? 0);
      ofConnected.push(costs.get(connected) ?? 0);
      alone.push(obtained);
    }
    const more = median(ofConnected.map((cost, round) => cost - (ofPlain[round] ?? 0)));
    const target = `≤ ${CONNECTION_LIMIT} µs`;
    return [
      {
        what: "Live connection: CPU above the same call with a static credential",
        measured: `${more.toFixed(1)} µs`,
        against: `calls of ${whole(median(ofConnected))} µs and ${whole(median(ofPlain))} µs, ${rounds} rounds in turns`,
        ...{ target, met: more <= CONNECTION_LIMIT },
      },
      {
        what: "Its token, obtained alone",
        measured: `${median(alone).toFixed(1)} µs`,
        against: `the median of ${rounds} times ${CONNECTED_CALLS}`,
        ...{ target, met: median(alone) <= CONNECTION_LIMIT },
      },
    ];
  } finally {
    await plain.close();
    await connected.close();
  }
}

/** Microseconds each, threads included. */
async function cpuOf(work: () => Promise<void>, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < calls; count++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** JWT for JWT, durable, by a `client_secret_basic` caller, beside the peer's opaque tokens of the same run. */
async function exchanges(options: BenchOptions): Promise<readonly Finding[]> {
  const generator = await startLoadGenerator(options.folder);
  const candidates: Candidate[] = [];
  try {
    const ours = await startCountersign(options.folder, { apps: [AGENT, GATEWAY] });
    candidates.push(ours);
    const peer = await startPeer();
    candidates.push(peer);
    const contenders = [await exchanging(ours, generator, options), tokens(peer, options)];
    const measurements = await takeTurns(generator, contenders, ROUNDS);
    const { connections, warmUp } = options;
    console.log(`\nToken exchange: ${connections} connections, ${ROUNDS} rounds in turns, ${whole(warmUp)} to warm up`);
    printMeasurements(measurements);
    return summarize(measurements);
  } finally {
    for (const candidate of candidates) await candidate.stop();
    await generator.stop();
  }
}

function app(clientID: string, audience: string) {
  return {
    type: "oidc",
    name: clientID,
    clientID,
    credentials: { secrets: [secretOf(clientID)] },
    grantTypes: [GRANT],
    accessToken: { type: "jwt", lifetime: "1h" },
    allowedAudiences: [audience],
    customScopes: { scopes: [{ name: "ledger:read" }] },
  };
}

function secretOf(clientID: string): string {
  return `secret-of-the-${clientID}`;
}

/** Makes the JWT that is the subject: who has none gets it for an opaque token. */
const AGENT = app("agent", "https://gateway.example/mcp");
const GATEWAY = app("gateway", "https://ledger.example/");

async function exchanging(
  { name, pid, target, tokenRequests }: Candidate,
  generator: LoadGenerator,
  { requests, warmUp, connections }: BenchOptions,
): Promise<Contender> {
  const exchange = (
    { clientID, allowedAudiences: [audience = ""] }: ReturnType<typeof app>,
    subject: string,
    more: Readonly<Record<string, string>> = {},
  ) => {
    const form = {
      grant_type: GRANT,
      subject_token: subject,
      subject_token_type: ACCESS_TOKEN,
      audience,
      scope: "ledger:read",
      ...more,
    };
    return serializePost(target, { path: "/oauth2/token", form, authorization: basic(clientID, secretOf(clientID)) });
  };
  const one = async (request: Buffer | undefined) => {
    const sent = request === undefined ? [] : [request];
    const expected = { expect: '"access_token"', keep: "access_token" };
    const { kept: answers } = await generator.run({ target, requests: sent, connections: 1, ...expected });
    return answers[0] ?? "";
  };
  const subject = await one(exchange(AGENT, await one(tokenRequests(1)[0])));
  const repeated = (count: number) =>
    Array.from({ length: count }, () => exchange(GATEWAY, subject, { requested_expires_in: "60" }));
  const load = { target, requests: repeated(requests), connections, expect: '"access_token"' };
  return { name: `${name}, exchanges`, pid, warmUp: repeated(warmUp), load };
}

function tokens(
  { name, pid, target, tokenRequests }: Candidate,
  { requests, warmUp, connections }: BenchOptions,
): Contender {
  const load = { target, requests: tokenRequests(requests), connections, expect: '"access_token"' };
  return { name: `${name}, tokens`, pid, warmUp: tokenRequests(warmUp), load };
}

function summarize([ours, peer]: readonly Measurement[]): readonly Finding[] {
  if (ours === undefined || peer === undefined) throw new Error("Two candidates were measured.");
  return [
    {
      what: "Token exchanges on Node",
      measured: `${whole(ours.rate)}/s`,
      against: `${peer.name}: ${whole(peer.rate)}/s`,
      ratio: times(ours.rate / peer.rate),
      target: `≥ ${times(MINIMUM_RATIO)}`,
      met: ours.rate / peer.rate >= MINIMUM_RATIO,
    },
    {
      what: "Their CPU in the server",
      measured: `${whole(ours.serverCpu)} µs`,
      against: `${peer.name}: ${whole(peer.serverCpu)} µs`,
      ratio: times(ours.serverCpu / peer.serverCpu),
    },
  ];
}
