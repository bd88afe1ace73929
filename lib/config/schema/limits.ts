import * as z from "zod";
import { about } from "#about";
import { FINEST_INTERVAL } from "../../kernel/gcra.ts";
import { isNetwork } from "../../net/networks.ts";
import { SIZES } from "../size.ts";
import { asPattern } from "./apps/names.ts";
import { described, section } from "./section.ts";
import { choice, flag, integer, list, text } from "./types.ts";

/** So much a period. A calendar's period ends at midnight UTC. */
export interface Allowance {
  readonly amount: number;
  /** Milliseconds; of a month 31 days. */
  readonly period: number;
  readonly calendar?: "day" | "month";
}

const MOST = 1_000_000_000_000;
const PERIODS: Readonly<Record<string, Omit<Allowance, "amount">>> = {
  s: { period: 1_000 },
  m: { period: 60_000 },
  h: { period: 3_600_000 },
  day: { period: 86_400_000, calendar: "day" },
  month: { period: 2_678_400_000, calendar: "month" },
};

const RATE = "a number and s, m or h, such as 100/s, 600/m or 5000/h, at most 100000/s";
const QUOTA = "a number and day or month, such as 10000/day or 250000/month";
const BYTES = "a size and a period, such as 500KB/s, 10MB/m, 1GiB/h, 5GB/day or 100GB/month";

/** `100/s`, `10000/day`, `10MB/m`: undefined for what is none. */
function parseAllowance(value: string, periods: readonly string[], sizes: readonly string[]): Allowance | undefined {
  const [, digits, size = "", unit = ""] = /^(\d{1,13})([A-Za-z]*)\/([a-z]+)$/.exec(value) ?? [];
  const period = periods.includes(unit) ? PERIODS[unit] : undefined;
  if (digits === undefined || period === undefined || !sizes.includes(size)) return undefined;
  const amount = Number(digits) * (SIZES[size] ?? 1);
  return amount >= 1 && amount <= MOST ? { amount, ...period } : undefined;
}

interface AllowanceOptions {
  readonly sizes?: readonly string[];
  /** Milliseconds for each. */
  readonly finest?: number;
}

function allowance(accepted: string, periods: readonly string[], { sizes = [""], finest = 0 }: AllowanceOptions = {}) {
  return z.string({ error: accepted }).transform((value, context): Allowance => {
    const parsed = parseAllowance(value, periods, sizes);
    if (parsed !== undefined && parsed.period >= finest * parsed.amount) return parsed;
    context.addIssue({ code: "custom", message: accepted });
    return z.NEVER;
  });
}

/** One of a kind, or a list of them. */
function some<Item extends z.ZodType<string>>(item: Item, accepted: string) {
  const oneOrMore = z.union([item, list(item).min(1, { error: accepted })], { error: accepted });
  return oneOrMore.transform((value): readonly string[] => (typeof value === "string" ? [value] : value));
}

const NAME = "a name of letters, digits and - _ . /, up to 64 characters";
const TOOL = "a tool's name without its namespace, /a regular expression/, or a list of them";
const ADDRESS = "an address or a network such as 192.0.2.0/24, or a list of them";
const ENDPOINT = "mcp, web, token, management, or a list of them";
const PARTITION = "organization, client, person, agent, app, tool, address, or a list of them";

const of = (what: string) => some(text(), `${what}, or a list of them`).optional();

const CONDITIONS = section({
  endpoint: described(
    some(choice(["mcp", "web", "token", "management"]), ENDPOINT).optional(),
    about(
      "What is asked: `mcp` (agents), `web` (apps of `type: proxy`), `token` (the token endpoint), `management` (the management API). By default `mcp`.",
    ),
  ),
  organization: described(of("an organization"), about("Organizations of the callers.", "org_1")),
  client: described(of("a client ID"), about("Client IDs of the callers.", "client_1")),
  person: described(
    of("a person's subject"),
    about("People that agents act for, and people in browsers, by their subject."),
  ),
  agent: described(of("a client ID"), about("Client IDs of callers that act for a person.")),
  app: described(of("the name of an app"), about("Apps whose tools are called, and web apps.", "ledger")),
  tool: described(
    some(text(TOOL).superRefine(asPattern(TOOL)), TOOL).optional(),
    about("Tools that are called: names without namespace, or patterns.", "/create.*/"),
  ),
  address: described(
    some(text(ADDRESS).refine(isNetwork, { error: ADDRESS }), ADDRESS).optional(),
    about("Addresses and networks that requests come from.", "192.0.2.0/24"),
  ),
});

const partition = choice(["organization", "client", "person", "agent", "app", "tool", "address", "all"]);

/** An entry of `limits`. */
export const limit = section({
  name: described(
    text(NAME).regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/, { error: NAME }),
    about("Name of the limit, in answers and records. Must be unique.", "writes"),
  ),
  for: described(
    CONDITIONS.prefault({}),
    about("What the limit is about. Every key that is there must fit. By default all requests of agents.", {
      app: "ledger",
      tool: "/create.*/",
    }),
  ),
  per: described(
    some(partition, PARTITION).optional(),
    about(
      "What is counted apart, one or a list. `all`: everything together. By default `client`; for limits about the token endpoint `address`. What a caller does not have is replaced: a person by its client, the client of somebody in a browser by the person, all else by the address.",
      "person",
    ),
  ),
  rate: described(
    allowance(RATE, ["s", "m", "h"], { finest: FINEST_INTERVAL }).optional(),
    about("How many calls or requests in a time; at most 100,000 a second.", "100/m"),
  ),
  burst: described(
    integer(1, 1_000_000_000).optional(),
    about("How many at once, when nothing came before. By default the number of `rate`.", 20),
  ),
  quota: described(
    allowance(QUOTA, ["day", "month"]).optional(),
    about("How many in a day or month of the calendar, in UTC.", "10000/day"),
  ),
  bytes: described(
    allowance(BYTES, Object.keys(PERIODS), { sizes: Object.keys(SIZES) }).optional(),
    about(
      "How many bytes of arguments of calls, as JSON, or of bodies of requests for web apps. A body whose length was not declared counts as the app's `maxBody`.",
      "10MB/m",
    ),
  ),
  concurrent: described(
    integer(1, 1_000_000).optional(),
    about("How many calls at the same time, in each instance.", 10),
  ),
  exact: described(
    flag().default(false),
    about(
      "On Workers and Lambda, every call asks the shared count, so that not one that is left is refused. No effect on Node.",
    ),
  ),
  unavailable: described(
    choice(["deny", "allow"]).default("deny"),
    about("What happens to calls while the shared count cannot be asked."),
  ),
});

/** `limits[]`. What depends on several keys is in `rules/limits.ts`. */
export const limits = described(
  list(limit).max(100, { error: "at most 100 limits" }).default([]),
  about("Limits of calls and requests. All that fit apply."),
);
