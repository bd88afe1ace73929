import fc from "fast-check";
import { compilePattern } from "../../lib/policy/cel/pattern-program.ts";
import { canonicalPath } from "../../lib/protocol/http/request-target.ts";
import { createLocations, type Location, parseLocation } from "../../lib/reverse-proxy/locations.ts";
import { anyPath, disguisedPath } from "../protocol/paths.ts";

/** How an upstream reads the segments of a path, a step at a time; case and slashes at the end are told of all that it compares. */
const STEPS: Readonly<Record<string, (segments: readonly string[]) => readonly string[]>> = {
  decode: (segments) => segments.map(lenientlyDecoded).flatMap((segment) => segment.split("/")),
  backslashes: (segments) => segments.flatMap((segment) => segment.split("\\")),
  parameters: (segments) => segments.map((segment) => segment.replace(/;.*$/s, "")),
  query: (segments) => {
    const at = segments.findIndex((segment) => segment.includes("?"));
    return at === -1 ? segments : [...segments.slice(0, at), (segments[at] ?? "").replace(/\?.*$/s, "")];
  },
  collapse: (segments) => segments.filter((segment, index) => segment !== "" || index === segments.length - 1),
  dots: (segments) => resolved(segments),
  trim: (segments) => segments.map((segment) => (/^\.{1,2}$/.test(segment) ? segment : segment.replace(/[. ]+$/, ""))),
  plus: (segments) => segments.map((segment) => segment.replaceAll("+", " ")),
  compatible: (segments) =>
    segments.map((segment) => segment.normalize("NFKC")).flatMap((segment) => segment.split("/")),
  terminator: (segments) => segments.map((segment) => segment.replace(/\0.*$/s, "")),
};

/** What is broken stays as it is, and so does what is no UTF-8. */
function lenientlyDecoded(text: string): string {
  return text.replaceAll(/(?:%[\dA-F]{2})+/gi, (octets) => {
    try {
      return decodeURIComponent(octets);
    } catch {
      return octets;
    }
  });
}

function resolved(segments: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const [index, segment] of segments.entries()) {
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
    if (index === segments.length - 1 && /^\.{1,2}$/.test(segment)) kept.push("");
  }
  return kept;
}

export interface Upstream {
  readonly steps: readonly string[];
  readonly isCaseless: boolean;
  readonly isSlashless: boolean;
}

const UPSTREAMS: fc.Arbitrary<Upstream> = fc.record({
  steps: fc.array(fc.constantFrom("decode", "decode", ...Object.keys(STEPS)), { maxLength: 5 }),
  isCaseless: fc.boolean(),
  isSlashless: fc.boolean(),
});

/** Segments, of which the last is empty where the path ends with a slash that counts. */
function readBy({ steps, isCaseless, isSlashless }: Upstream, path: string): readonly string[] {
  const raw = path.slice(1).split("/");
  // What an upstream never decodes it compares as it is written.
  const read = steps.reduce((segments, step) => STEPS[step]?.(segments) ?? segments, raw as readonly string[]);
  const cased = isCaseless ? read.map((segment) => segment.toLowerCase()) : read;
  const filled = cased.filter((segment, index) => segment !== "" || index === cased.length - 1);
  return isSlashless || filled.length === 1 ? filled.filter((segment) => segment !== "") : filled;
}

export interface Policy {
  readonly text: string;
  readonly location: Location;
  readonly isOpen: boolean;
}

/** The policy of what an upstream read, by its own way to tell paths apart; found by looking at all of them. */
function policyOf(upstream: Upstream, policies: readonly Policy[], path: string): number | undefined {
  const read = readBy(upstream, path);
  const key = JSON.stringify(read);
  const places = policies.map(({ location }) => (location.kind === "pattern" ? [] : readBy(upstream, location.path)));
  const exact = policies.findIndex(
    ({ location }, index) => location.kind === "exact" && JSON.stringify(places[index]) === key,
  );
  if (exact !== -1) return exact;
  const pattern = policies.findIndex(
    ({ location }) => location.kind === "pattern" && doesMatch(upstream, location, read),
  );
  if (pattern !== -1) return pattern;
  const depthOf = (index: number) => {
    const place = places[index] ?? [];
    return policies[index]?.location.kind === "prefix" && place.every((segment, at) => read[at] === segment)
      ? place.length
      : -1;
  };
  const prefixes = [...policies.keys()].filter((index) => depthOf(index) >= 0);
  return prefixes.sort((one, other) => depthOf(other) - depthOf(one) || one - other)[0];
}

function doesMatch({ isCaseless, isSlashless }: Upstream, { source }: { source: string }, read: readonly string[]) {
  const { matches } = compilePattern(isCaseless ? `(?i)${source}` : source);
  const text = `/${read.map(written).join("/")}`;
  return matches(text) || (isSlashless && read.length > 0 && matches(`${text}/`));
}

/** A name as a path has it: with as few escapes as can be. */
function written(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replaceAll(/%(?:2[46BC]|3[ABD]|40)/g, decodeURIComponent);
}

const LOCATIONS = [
  ...["= /", "= /admin", "= /admin/", "= /Admin", "= /a.css", "= /a/b", "= /x%20", "= /key", "= /public/a"],
  ...["/admin", "/ADMIN", "/admin/x", "/a", "/A/b", "/public", "/a@b", "/a%3Bb", "/key", "/x./a", "/%C3%A9", "/a+b"],
  ...[
    "~ \\.css$",
    "~ ^/admin/",
    "~ ^/public",
    "~ (a|b)$",
    "~ ^/(?:admin|key)(?:/|$)",
    "~ ^/[a-z]+/x",
    "~ ^/a@",
    "~ /x/",
  ],
];

export interface Case {
  readonly policies: readonly Policy[];
  readonly path: string;
  readonly upstream: Upstream;
}

const POLICIES: fc.Arbitrary<readonly Policy[]> = fc
  .tuple(
    fc.uniqueArray(fc.record({ text: fc.constantFrom(...LOCATIONS), isOpen: fc.boolean() }), {
      maxLength: 4,
      selector: ({ text }) => text,
    }),
    fc.option(fc.boolean()),
  )
  .map(([some, root]) => [...some, ...(root === null ? [] : [{ text: "/", isOpen: root }])])
  .map((all) => all.map((one) => ({ ...one, location: locationOf(one.text) })));

function locationOf(text: string): Location {
  const location = parseLocation(text);
  if ("problem" in location) throw new Error(`${text}: ${location.problem}`);
  return location;
}

export const CASES: fc.Arbitrary<Case> = fc.record({
  policies: POLICIES,
  path: fc.oneof({ weight: 4, arbitrary: disguisedPath }, { weight: 1, arbitrary: anyPath }),
  upstream: UPSTREAMS,
});

/**
 * What a policy saw is what an upstream reads: a path that gets through is read as one that falls under the same policy or
 * under an open one.
 *
 * @returns what happened, for counting; throws when an upstream was misled
 */
export function judge({ policies, path: text, upstream }: Case): "refused" | "unknown" | "ambiguous" | "same" | "open" {
  const path = canonicalPath(text);
  if (typeof path !== "string") return "refused";
  const located = createLocations(policies)(path, "GET");
  if (located === undefined) return "unknown";
  if (located.isAmbiguous) return "ambiguous";
  const read = policyOf(upstream, policies, path);
  if (read === located.index) return "same";
  if (read !== undefined && policies[read]?.isOpen === true) return "open";
  const rows = policies.map(({ text: written, isOpen }) => `${written}${isOpen ? " (open)" : ""}`);
  throw new Error(
    `${path} was under ${rows[located.index]}, and was read as ${JSON.stringify(readBy(upstream, path))} under ${read === undefined ? "none" : rows[read]}; policies: ${rows.join(", ")}; upstream: ${JSON.stringify(upstream)}`,
  );
}
