import { type Path, pathText } from "../path.ts";
import { indexesOf, type Rule, type RuleContext, reportDuplicates } from "./rule.ts";

const MEASURES = ["rate", "quota", "bytes", "concurrent"];
/** What a limit can be about, and what it can count, only where it is known: at these endpoints. */
const ONLY_AT: Readonly<Record<string, readonly string[]>> = {
  app: ["mcp", "web"],
  tool: ["mcp"],
  bytes: ["mcp", "web"],
  concurrent: ["mcp"],
};
const OF_APPS = ["app", "tool"];
const OF_CALLERS = ["organization", "client", "person", "agent"];

/** What the keys of a limit need of each other, and of the apps. */
export const limitRules: Rule = (context) => {
  const { at, report } = context;
  const entries = indexesOf(at("limits"));
  reportDuplicates(
    context,
    entries.map((index) => ["limits", index, "name"]),
    "a name",
  );
  reportTaken(
    context,
    entries.map((index) => ["limits", index]),
  );
  const apps = indexesOf(at("apps")).map((index) => at("apps", index, "name"));
  for (const index of entries) {
    const entry = ["limits", index];
    if (typeof at(...entry) !== "object" || at(...entry) === null) continue;
    if (MEASURES.every((key) => at(...entry, key) === undefined))
      report(entry, `found none of ${MEASURES.join(", ")}; accepted: one at least`);
    if (at(...entry, "burst") !== undefined && at(...entry, "rate") === undefined)
      report([...entry, "burst"], "found burst without rate; accepted: both, or neither");
    const endpoints = textsOf(at(...entry, "for", "endpoint"));
    reportElsewhere(context, entry, endpoints);
    if (endpoints.includes("token")) {
      const named = [
        ...OF_CALLERS.filter((key) => at(...entry, "for", key) !== undefined),
        ...textsOf(at(...entry, "per")),
      ];
      for (const key of named.filter((one) => OF_CALLERS.includes(one)))
        report(
          entry,
          `found ${key} with the endpoint token; accepted: address, as requests are counted before they are read`,
        );
    }
    const per = textsOf(at(...entry, "per"));
    if (per.includes("all") && per.length > 1)
      report([...entry, "per"], "found all beside others; accepted: all alone");
    for (const name of textsOf(at(...entry, "for", "app"))) {
      if (!apps.includes(name) && !apps.includes(null))
        report([...entry, "for", "app"], `found ${context.shown(...entry, "for", "app")}; accepted: names of apps`);
    }
  }
};

/** Apps, tools and the length of what is sent are known at some endpoints alone. */
function reportElsewhere({ at, report }: RuleContext, entry: Path, endpoints: readonly string[]): void {
  const per = textsOf(at(...entry, "per"));
  for (const [key, known] of Object.entries(ONLY_AT)) {
    if (endpoints.every((endpoint) => known.includes(endpoint))) continue;
    const accepted = `another endpoint than ${known.join(" and ")}; accepted: with ${known.join(" and ")} alone`;
    const about = [...entry, "for", key];
    if (!OF_APPS.includes(key)) {
      if (at(...entry, key) !== undefined) report([...entry, key], `found ${key} with ${accepted}`);
      continue;
    }
    if (per.includes(key)) report([...entry, "per"], `found ${key} with ${accepted}`);
    if (at(...about) !== undefined) report(about, `found ${key} beside ${accepted}`);
  }
}

/** A limit's other measures have names of their own, which no other limit may have: they would be one count. */
function reportTaken({ at, report }: RuleContext, entries: readonly Path[]): void {
  const measures = entries.flatMap((entry) => measureNames(at, entry).map((name) => ({ name, entry })));
  for (const entry of entries) {
    const name = at(...entry, "name");
    const taken = measures.find((measure) => measure.name === name);
    if (taken !== undefined)
      report(
        [...entry, "name"],
        `found the name that a count of ${pathText(taken.entry)} has; accepted: one that is not another's with .day, .month or .bytes`,
      );
  }
}

function measureNames(at: RuleContext["at"], entry: Path): readonly string[] {
  const name = at(...entry, "name");
  const quota = at(...entry, "quota");
  const kinds = [
    ...["day", "month"].filter((calendar) => typeof quota === "string" && quota.endsWith(`/${calendar}`)),
    ...(at(...entry, "bytes") === undefined ? [] : ["bytes"]),
  ];
  return kinds.map((kind) => `${name}.${kind}`);
}

function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === "string");
}
