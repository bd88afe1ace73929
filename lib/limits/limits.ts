import type { LimitConfiguration, LimitEndpoint, LimitPartition } from "../config/configuration.ts";
import { toolPattern } from "../config/tool-names.ts";
import { FINEST_INTERVAL } from "../kernel/gcra.ts";
import { networkMatcher, parseIpAddress } from "../net/networks.ts";
import { sourceKey } from "../net/source.ts";
import type { Entered, LimitClaim, Limiter, LimitState, LimitTerms, LimitVerdict } from "./limiter.ts";

export type { LimitEndpoint } from "../config/configuration.ts";

/** Who asks for what, as far as it is known. */
export interface LimitSubject {
  readonly address: string | undefined;
  readonly organization?: string | undefined;
  /** Of a token that is not of this instance: its names are its own. */
  readonly issuer?: string | undefined;
  /** A client ID. */
  readonly client?: string | undefined;
  /** Absent: the client acts for itself. Without a client: the person asks by a browser. */
  readonly person?: string | undefined;
  /** Of calls, and of requests for web apps. */
  readonly app?: string | undefined;
  /** The name that policies see; of calls. */
  readonly tool?: string | undefined;
}

/** A call of a tool, what else an agent asks an app for, or a request for a web app. */
export interface LimitedCall extends LimitSubject {
  readonly app: string;
  /** Of its arguments or body, made when some limit counts bytes. 0 is not counted. */
  readonly bytes: () => number;
}

/** Where apps are asked. */
export type CallEndpoint = Extract<LimitEndpoint, "mcp" | "web">;

/** The limits of the configuration, ready for requests. */
export interface Limits {
  /** Counts a call against the limits that are about apps or tools, or count bytes. Undefined: there are none. */
  takeCall(call: LimitedCall, endpoint?: CallEndpoint): LimitVerdict | Promise<LimitVerdict> | undefined;
  /**
   * Counts a request against the limits that are not, before its body is read: those that need to know the address alone
   * (`anonymous`), or the others (`known`).
   */
  takeRequest(
    endpoint: LimitEndpoint,
    stage: LimitStage,
    subject: LimitSubject,
    amount?: number,
  ): LimitVerdict | Promise<LimitVerdict> | undefined;
  /** Room for a call among those that run in this instance. */
  enter(call: LimitSubject): Room | Promise<Room>;
}

/** What leaves it, or the limit that has none. */
export type Room = (() => void) | LimitState;

export type LimitStage = "anonymous" | "known";

/** The limits that a call is under, with what they count it by. */
export function applyingLimits(
  limits: readonly LimitConfiguration[],
  call: LimitSubject,
  endpoint: CallEndpoint = "mcp",
): readonly { readonly limit: LimitConfiguration; readonly key: string }[] {
  return limits
    .filter(({ endpoints }) => endpoints.includes(endpoint))
    .filter((limit) => fitting(limit.for)(call))
    .map((limit) => ({ limit, key: keyOf(limit.per, call) }));
}

/**
 * Those of the operator first: what they refuse uses up nothing of an organization's. An organization's are looked at for its own callers
 * alone, so that many of them cost nobody else time.
 *
 * @param limiter counts across configurations
 */
export function createLimits(limits: readonly LimitConfiguration[], limiter: Limiter): Limits {
  const common = candidatesAmong(limits.filter(({ owner }) => owner === undefined));
  const owned = new Map(
    [...Map.groupBy(limits, ({ owner }) => owner)].flatMap(([owner, own]) =>
      owner === undefined ? [] : [[owner, candidatesAmong(own)] as const],
    ),
  );
  const candidates = (subject: LimitSubject, among: (of: Candidates) => readonly Prepared[]): readonly Prepared[] => {
    const own = subject.organization === undefined ? undefined : owned.get(subject.organization);
    return own === undefined ? among(common) : [...among(common), ...among(own)];
  };
  return {
    takeCall: (call, endpoint = "mcp") => {
      const applying = candidates(call, ({ ofCalls }) => ofCalls[endpoint]);
      if (applying.length === 0) return undefined;
      const claims: LimitClaim[] = [];
      for (const { limit, callTerms, fits } of applying) {
        if (!fits(call)) continue;
        const key = keyOf(limit.per, call);
        for (const { terms, counts } of callTerms) {
          const amount = counts === "bytes" ? Math.ceil(call.bytes() / sizeOf(terms)) : 1;
          if (amount > 0) claims.push({ terms, key, amount });
        }
      }
      return claims.length === 0 ? undefined : limiter.take(claims);
    },
    takeRequest: (endpoint, stage, subject, amount = 1) => {
      const applying = candidates(subject, ({ ofRequests }) => ofRequests.get(`${endpoint} ${stage}`) ?? []);
      if (applying.length === 0) return undefined;
      const claims = applying
        .filter(({ fits }) => fits(subject))
        .flatMap(({ limit, requestTerms }) =>
          requestTerms.map(({ terms }) => ({ terms, key: keyOf(limit.per, subject), amount })),
        );
      return claims.length === 0 ? undefined : limiter.take(claims);
    },
    enter: (call) => {
      const applying = candidates(call, ({ concurrent }) => concurrent).filter(({ fits }) => fits(call));
      return enterEach(
        applying.map(({ limit }) => limit),
        call,
        limiter,
        [],
      );
    },
  };
}

/** Limits by what they count. */
interface Candidates {
  readonly ofCalls: Readonly<Record<CallEndpoint, readonly Prepared[]>>;
  /** By endpoint and stage. */
  readonly ofRequests: ReadonlyMap<string, readonly Prepared[]>;
  readonly concurrent: readonly Prepared[];
}

function candidatesAmong(limits: readonly LimitConfiguration[]): Candidates {
  const prepared = limits.map(prepare);
  const ofCalls = prepared.filter(({ callTerms }) => callTerms.length > 0);
  const callsAt = (endpoint: CallEndpoint) => ofCalls.filter(({ limit }) => limit.endpoints.includes(endpoint));
  const requests = (endpoint: LimitEndpoint, stage: LimitStage) =>
    prepared.filter(
      ({ limit, requestTerms }) =>
        requestTerms.length > 0 && limit.endpoints.includes(endpoint) && stageOf(limit, endpoint) === stage,
    );
  return {
    ofCalls: { mcp: callsAt("mcp"), web: callsAt("web") },
    ofRequests: new Map(
      ENDPOINTS.flatMap((endpoint) =>
        STAGES.map((stage) => [`${endpoint} ${stage}`, requests(endpoint, stage)] as const),
      ),
    ),
    concurrent: prepared.filter(({ limit }) => limit.concurrent !== undefined),
  };
}

/** @param left what leaves those that were entered before, and all of these when one has no room */
function enterEach(
  limits: readonly LimitConfiguration[],
  call: LimitSubject,
  limiter: Pick<Limiter, "enter">,
  left: (() => void)[],
): Room | Promise<Room> {
  const leave = () => left.splice(0).forEach((one) => void one());
  for (const [at, { name, per, concurrent: quota = 0 }] of limits.entries()) {
    const enteredOrFull = (entered: Entered): Room | undefined => {
      if (entered === undefined) {
        leave();
        return { name, quota, window: 0, remaining: 0, reset: 1 };
      }
      left.push(entered);
      return undefined;
    };
    const entered = limiter.enter(name, keyOf(per, call), quota);
    if (entered instanceof Promise)
      return entered.then((one) => enteredOrFull(one) ?? enterEach(limits.slice(at + 1), call, limiter, left));
    const full = enteredOrFull(entered);
    if (full !== undefined) return full;
  }
  return leave;
}

const ENDPOINTS: readonly LimitEndpoint[] = ["mcp", "web", "token", "management"];
const STAGES: readonly LimitStage[] = ["anonymous", "known"];

interface Prepared {
  readonly limit: LimitConfiguration;
  readonly callTerms: readonly Measure[];
  readonly requestTerms: readonly Measure[];
  readonly fits: (subject: LimitSubject) => boolean;
}

interface Measure {
  readonly terms: LimitTerms;
  readonly counts: "times" | "bytes";
}

/**
 * What needs to know the address alone is counted before anybody is known. What is counted for all is not, where a token is
 * asked for: else strangers without one would use up what is everybody's.
 */
function stageOf({ for: about, per }: LimitConfiguration, endpoint: LimitEndpoint): LimitStage {
  if (endpoint === "token") return "anonymous";
  const named = [...Object.keys(about), ...per];
  return per.length > 0 && named.every((one) => one === "address") ? "anonymous" : "known";
}

function prepare(limit: LimitConfiguration): Prepared {
  const { for: about, per } = limit;
  const named = [...(Object.keys(about) as LimitPartition[]), ...per];
  const isOfCalls = named.includes("app") || named.includes("tool");
  const measures = measuresOf(limit);
  return {
    limit,
    callTerms: measures.filter(({ counts }) => isOfCalls || counts === "bytes"),
    requestTerms: isOfCalls ? [] : measures.filter(({ counts }) => counts === "times"),
    fits: fitting(about),
  };
}

/** Each measure has a name of its own: they are counted apart, and answers tell of each. */
function measuresOf({ name, rate, quota, bytes, exact, unavailable }: LimitConfiguration): readonly Measure[] {
  const common = { exact, unavailable };
  const measures: Measure[] = [];
  if (rate !== undefined)
    measures.push({
      terms: { name, quota: rate.amount, period: rate.period, burst: rate.burst, ...common },
      counts: "times",
    });
  if (quota !== undefined)
    measures.push({ terms: { ...allowance(`${name}.${quota.calendar}`, quota), ...common }, counts: "times" });
  if (bytes !== undefined)
    measures.push({ terms: { ...ofBytes(allowance(`${name}.bytes`, bytes)), ...common }, counts: "bytes" });
  return measures;
}

/** Of rates that times have no steps for, several bytes are counted as one. */
function ofBytes(terms: Omit<LimitTerms, "exact" | "unavailable">): Omit<LimitTerms, "exact" | "unavailable"> {
  const { period, calendar, quota } = terms;
  const size = calendar === undefined ? Math.ceil((FINEST_INTERVAL * quota) / period) : 1;
  const counted = Math.floor(quota / size);
  return { ...terms, quota: counted, burst: counted, unit: { name: "content-bytes", size } };
}

function sizeOf({ unit }: LimitTerms): number {
  return unit?.size ?? 1;
}

function allowance(
  name: string,
  { amount, period, calendar }: NonNullable<LimitConfiguration["quota"]>,
): Omit<LimitTerms, "exact" | "unavailable"> {
  return { name, quota: amount, period, burst: amount, ...(calendar !== undefined && { calendar }) };
}

function fitting(about: LimitConfiguration["for"]): (subject: LimitSubject) => boolean {
  const tests = Object.entries(about).map(([key, values]) => testOf(key as LimitPartition, values));
  return (subject) => tests.every((fits) => fits(subject));
}

function testOf(key: LimitPartition, values: readonly string[]): (subject: LimitSubject) => boolean {
  if (key === "tool") {
    const patterns = values.map(toolPattern);
    return ({ tool }) => tool !== undefined && patterns.some((matches) => matches(tool));
  }
  if (key === "address") {
    const matches = networkMatcher(values);
    return ({ address }) => {
      const parsed = address === undefined ? undefined : parseIpAddress(address);
      return parsed !== undefined && matches(parsed);
    };
  }
  const known = new Set(values);
  return (subject) => {
    const value = givenOf(key, subject);
    return value !== undefined && known.has(value);
  };
}

function givenOf(key: Exclude<LimitPartition, "tool" | "address">, subject: LimitSubject): string | undefined {
  // An agent is a client that acts for a person.
  if (key === "agent") return subject.person === undefined ? undefined : subject.client;
  return subject[key];
}

/** What a request is counted by. Values are escaped, so that none looks like two. */
function keyOf(per: readonly LimitPartition[], subject: LimitSubject): string {
  return per.length === 0 ? "all" : per.map((one) => partOf(one, subject)).join("/");
}

/**
 * What a caller does not have is replaced by what it has, so that nobody is without a limit for want of a person. A person in a browser
 * has no client: many of them share an address.
 */
function partOf(one: LimitPartition, subject: LimitSubject): string {
  const { issuer, person, client, organization, address, app, tool } = subject;
  const of = (kind: string, value: string) =>
    issuer === undefined ? `${kind}/${inKey(value)}` : `${kind}/${inKey(issuer)}/${inKey(value)}`;
  switch (one) {
    case "app":
      return `app/${inKey(app ?? "")}`;
    case "tool":
      return `tool/${inKey(app ?? "")}/${inKey(tool ?? "")}`;
    case "organization":
      if (organization !== undefined) return `organization/${inKey(organization)}`;
      break;
    case "person":
      if (person !== undefined) return of("person", person);
      break;
  }
  if (one !== "address" && client !== undefined) return of("client", client);
  if (one !== "address" && person !== undefined) return of("person", person);
  return `address/${inKey(sourceKey(address))}`;
}

const PLAIN = /^[\w.:-]*$/;

function inKey(value: string): string {
  return PLAIN.test(value) ? value : encodeURIComponent(value.toWellFormed());
}
