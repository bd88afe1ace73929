import type { DeclaredName, DeclaredNames } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import type { Packed } from "./styles.ts";

/** A name of the final request, and where it comes from. */
export interface WrittenName {
  /** What errors call the argument. */
  readonly argument: string;
  /** The tool's argument, whose schema says which members the document names. */
  readonly source: string;
  readonly place: DeclaredName["place"];
  /** The parameter's own name; absent: it has none. */
  readonly own?: string;
  readonly name: string;
  /** What of the name the agent chose; absent: nothing. */
  readonly members?: readonly string[];
  readonly packed?: Packed;
  /** Texts of a cookie that stand behind a comma. */
  readonly behindComma?: readonly string[];
}

/**
 * Holds the final names of a request against the document (checklist 44): what an agent wrote into one argument must not arrive as
 * another. Throws a `RequestError` for the first name that does.
 *
 * @param inBase names in the query of the API's own URL
 */
export function checkNames(written: readonly WrittenName[], declared: DeclaredNames, inBase: readonly string[]): void {
  const chosen = written.filter(
    ({ members, packed, behindComma }) => members !== undefined || packed !== undefined || behindComma !== undefined,
  );
  if (chosen.length === 0) return;
  const fixed = inBase.map((name): DeclaredName => ({ place: "query", name }));
  const owners = ownersByBase([...declared.names, ...fixed]);
  const known = new Map<string, Members>();
  const taken = new Map<string, WrittenName>();
  for (const one of chosen) {
    const members = known.get(one.source) ?? membersOf(one.source, declared);
    known.set(one.source, members);
    checkPacked(one, members);
    for (const name of one.behindComma ?? []) refuseOwned({ ...one, name }, false, owners);
    if (one.members === undefined) continue;
    for (const member of one.members) checkMember(one, member, members);
    refuseOwned(
      one,
      one.members.some((member) => !members.exact.has(member)),
      owners,
    );
    refuseTaken(one, members, taken);
    if (taken.size > NAMES) throw new RequestError(one.argument, `makes more than ${NAMES} names in the request`);
  }
}

/** What the agent names. Common readers stop after 1,000 pairs (qs, PHP): the parameters behind would be lost. */
const NAMES = 500;

/** Names that the schema of an argument declares, as they are and as careless readers take them. */
interface Members {
  readonly exact: ReadonlySet<string>;
  readonly folded: ReadonlyMap<string, string>;
}

function membersOf(source: string, { members }: DeclaredNames): Members {
  const names = Object.hasOwn(members, source) ? (members[source] as readonly string[]) : [];
  return { exact: new Set(names), folded: new Map(names.map((name) => [folded(name), name])) };
}

function checkMember({ argument, place }: WrittenName, member: string, { exact, folded: known }: Members): void {
  if (exact.has(member)) return;
  if (!CLEAN.test(member) || (place === "cookie" && member.startsWith("$"))) {
    throw new RequestError(argument, `must not have the name ${quoted(member)}: ${ACCEPTED}`);
  }
  const fold = folded(member);
  const meant = known.get(fold);
  if (meant !== undefined) throw new RequestError(argument, `must not have ${readAs(member, meant)}`);
  if (!SPECIAL.has(fold)) return;
  throw new RequestError(argument, `must not have ${quoted(member)}, which means something to servers of its own`);
}

/** Of what readers of queries, forms and cookies use, nothing: no brackets, dots, separators, spaces or controls, nothing invisible. */
const CLEAN = /^(?:(?!\p{DI})[\p{L}\p{M}\p{N}_$@~!*-])+$/u;
const ACCEPTED = "names that the API does not declare have letters, digits and _ - $ @ ~ ! * only";

/**
 * Names that frameworks act on: the method of a form (Rack, Symfony, Laravel, Express), its encoding (HTML, form submission), a
 * bearer token (RFC 6750 §2.2, §2.3), and the members that every object of JavaScript has.
 */
const SPECIAL: ReadonlySet<string> = new Set(
  ["_method", "_httpmethod", "$httpMethod", "_charset_", "access_token", "__proto__", "constructor", "prototype"].map(
    folded,
  ),
);

/** Whoever splits a value after decoding it finds another member where a text has the delimiter. */
function checkPacked(one: WrittenName, known: Members): void {
  if (one.packed === undefined) return;
  const { members, delimiters } = one.packed;
  for (const [member, value] of members) {
    checkMember(one, member, known);
    if (![...delimiters].some((delimiter) => value.includes(delimiter))) continue;
    throw new RequestError(`${one.argument}.${member}`, `must not have ${quoted(delimiters)}, which ends it`);
  }
}

interface Owner extends DeclaredName {
  readonly path: readonly string[];
}

function ownersByBase(names: readonly DeclaredName[]): ReadonlyMap<string, readonly Owner[]> {
  const owners = new Map<string, Owner[]>();
  for (const declared of names) {
    const path = pathOf(declared.name);
    const base = path[0] ?? "";
    owners.set(base, [...(owners.get(base) ?? []), { ...declared, path }]);
  }
  return owners;
}

/** Many frameworks read queries, forms, paths and cookies as one: what an agent names by itself is looked for in all of them. */
const MERGED: ReadonlySet<DeclaredName["place"]> = new Set(["path", "query", "body", "cookie"]);

function refuseOwned(
  { argument, place, own, name }: WrittenName,
  isUndeclared: boolean,
  owners: ReadonlyMap<string, readonly Owner[]>,
): void {
  const path = pathOf(name);
  const ownPath = own === undefined ? [] : pathOf(own);
  const isInside = ownPath.length > 0 && startsWith(path, ownPath);
  const owner = (owners.get(path[0] ?? "") ?? []).find((one) => {
    if (one.place === place && one.name === own) return false;
    if (one.place !== place && !(isUndeclared && MERGED.has(one.place) && MERGED.has(place))) return false;
    // Behind its own name stands what is the parameter's, unless another goes deeper.
    if (isInside && one.path.length <= ownPath.length) return false;
    return startsWith(path, one.path) || startsWith(one.path, path);
  });
  if (owner === undefined) return;
  throw new RequestError(argument, `must not have ${readAs(name, owner.name)}, a parameter of its own`);
}

/** Two arguments, or two spellings, that arrive under one name: each of them is one that a policy did not see there. */
function refuseTaken(one: WrittenName, { exact }: Members, taken: Map<string, WrittenName>): void {
  const fold = `${one.place} ${folded(one.name)}`;
  const other = taken.get(fold);
  if (other === undefined) taken.set(fold, one);
  else if (
    other.source !== one.source ||
    other.own !== one.own ||
    (other.name !== one.name && !one.members?.every((name) => exact.has(name)))
  ) {
    throw new RequestError(one.argument, `must not have ${readAs(one.name, other.name)}, which ${other.argument} has`);
  }
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((step, index) => path[index] === step);
}

/** `a[b][0].C` is `a`, `b`, `c`: indices say nothing about whose a value is. */
function pathOf(name: string): readonly string[] {
  return folded(name)
    .split(/[[\].]+/)
    .filter((step, index) => step !== "" && (index === 0 || !/^\d+$/.test(step)));
}

/** As readers take a name that do not tell case, width and accents apart: `ſ` and the Kelvin sign are an s and a k. */
export function folded(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase();
  const base = name.normalize("NFKD").replaceAll(/[\p{M}\p{DI}]/gu, "");
  return base.toUpperCase().toLowerCase();
}

export function readAs(name: string, meant: string): string {
  return name === meant ? quoted(name) : `${quoted(name)}, which can be read as ${quoted(meant)}`;
}

/** Characters of a name that are told. */
const TOLD = 60;

function quoted(name: string): string {
  const text = name.length > TOLD ? `${name.slice(0, TOLD).toWellFormed()}…` : name.toWellFormed();
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7e…]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
