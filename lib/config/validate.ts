import type { z } from "zod";
import { nearest } from "../kernel/suggestions.ts";
import { type Path, pathText, valueAt } from "./path.ts";
import { found, keysAt } from "./redaction.ts";
import { appRules } from "./rules/apps.ts";
import { emailRules } from "./rules/email.ts";
import { httpRules, tlsRules } from "./rules/http.ts";
import { limitRules } from "./rules/limits.ts";
import { mcpProviderRules } from "./rules/mcp-provider.ts";
import { vaultRules } from "./rules/oauth-connectors.ts";
import type { Problem, Rule, RuleContext } from "./rules/rule.ts";
import { sessionRules } from "./rules/session.ts";
import { connectorRules, consoleRules, oidcProviderRules } from "./rules/sign-in.ts";
import { signalRules } from "./rules/signals.ts";
import { telemetryRules } from "./rules/telemetry.ts";
import { webhookRules } from "./rules/webhooks.ts";
import { type ConfigurationDocument, documentSchema } from "./schema/document.ts";
import { missingSpace } from "./schema/section.ts";

/** The document, checked key by key and as a whole; `document` is there when nothing is wrong. */
export interface Validation<Document = ConfigurationDocument> {
  readonly document: Document | undefined;
  readonly problems: readonly Problem[];
}

/** Places whose values are not known yet or must not be shown. */
export interface Placeholders {
  /** Path texts where a scalar is put in later: its type is not looked at. */
  readonly unresolved: ReadonlySet<string>;
  /** How a placeholder is written, by path text. */
  readonly written: ReadonlyMap<string, string>;
}

const RULES = [
  httpRules,
  tlsRules,
  telemetryRules,
  connectorRules,
  signalRules,
  webhookRules,
  emailRules,
  vaultRules,
  mcpProviderRules,
  oidcProviderRules,
  appRules,
  limitRules,
  sessionRules,
  consoleRules,
];

/** Checks a plain document: every mistake at once, in the order of keys, then of rules; `further` are a runtime's own. */
export function validate(document: unknown, placeholders: Placeholders, further: readonly Rule[] = []): Validation {
  return validateBy({ schema: documentSchema, rules: [...RULES, ...further] }, document, placeholders);
}

/** Checks what is written like a part of the document, by other rules, in the same words. */
export function validateBy<Schema extends z.ZodType>(
  { schema, rules }: { readonly schema: Schema; readonly rules: readonly Rule[] },
  document: unknown,
  placeholders: Placeholders = { unresolved: new Set(), written: new Map() },
): Validation<z.output<Schema>> {
  const result = schema.safeParse(document);
  const described = (result.error?.issues ?? []).flatMap((issue) => describe(issue, document, placeholders));
  const problems = onePerPath(described);
  const refused = new Set(problems.map(({ path }) => pathText(path)));
  const context: RuleContext = {
    at: (...path) => valueAt(document, path),
    report: (path, message) => {
      if (!refused.has(pathText(path))) problems.push({ path, message });
    },
    shown: (...path) => found(valueAt(document, path), path, placeholders.written.get(pathText(path))),
  };
  for (const rule of rules) rule(context);
  return { document: problems.length === 0 ? result.data : undefined, problems };
}

/** A value can miss several checks of its type; the first says enough. */
function onePerPath(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ path }) => {
    const text = pathText(path);
    return !seen.has(text) && seen.add(text);
  });
}

function describe(issue: z.core.$ZodIssue, document: unknown, placeholders: Placeholders): Problem[] {
  const path = issue.path as Path;
  if (issue.code === "unrecognized_keys") {
    const texts = issue.message.split("\n");
    return issue.keys.map((key, index) => ({ path: [...path, key], atKey: true, message: texts[index] as string }));
  }
  const entries = issue.code === "invalid_union" ? belowOne(issue) : [];
  if (entries.length > 0) return entries.flatMap((entry) => describe(entry, document, placeholders));
  if (issue.code === "invalid_key") return [{ path, atKey: true, message: `not a name; accepted: ${issue.message}` }];
  const at = pathText(path);
  const wantsMore = issue.code === "invalid_type" && ["object", "array"].includes(issue.expected);
  if (placeholders.unresolved.has(at) && !(wantsMore && placeholders.written.has(at))) return [];
  const value = valueAt(document, path);
  if (value === undefined) return [{ path, message: `required and missing; accepted: ${issue.message}` }];
  const message = `found ${found(value, path, placeholders.written.get(at))}; accepted: ${issue.message}`;
  return [
    { path, message: `${message}${suggestion({ issue, path, value, isWritten: placeholders.written.has(at) })}` },
  ];
}

/** Where one of several forms is meant and has mistakes in it, those say more than that the whole has none of the forms. */
function belowOne({ errors, path }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const [only, ...others] = errors.filter((issues) => issues.every((issue) => issue.path.length > 0));
  if (only === undefined || others.length > 0) return [];
  return only.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

interface Refused {
  readonly issue: z.core.$ZodIssue;
  readonly path: Path;
  readonly value: unknown;
  /** A placeholder brought the value, which is not compared aloud. */
  readonly isWritten: boolean;
}

/** What was most likely meant. */
function suggestion({ issue, path, value, isWritten }: Refused): string {
  const unit = issue.message.startsWith("days") ? "d" : "s";
  if (issue.code === "invalid_type" && isDurationWithoutUnit(value, issue.message)) {
    return `; did you mean ${String(value)}${unit}?`;
  }
  if (typeof value !== "string" || isWritten) return "";
  const missing = missingSpace(value, keysAt(path));
  if (missing !== undefined) return `; ${missing}`;
  const meant = issue.code === "invalid_value" ? nearest(value, issue.values.map(String)) : undefined;
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

function isDurationWithoutUnit(value: unknown, accepted: string): boolean {
  return Number.isInteger(value) && Number(value) > 0 && accepted.includes("duration");
}
