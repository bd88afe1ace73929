import type { JsonObject } from "../kernel/json.ts";
import { ALLOWED, DENIED, type LocalPolicy } from "./policy.ts";

export const COMPARISON_OPERATORS = ["equals", "notEquals", "contains", "notContains"] as const;
type ComparisonOperator = (typeof COMPARISON_OPERATORS)[number];

/** What is compared: a text that is written, or what a connector says of the person. */
export type ComparisonOperand = { readonly text: string } | { readonly connector: string; readonly claim: string };

export interface Comparison {
  readonly operator: ComparisonOperator;
  readonly operands: readonly [ComparisonOperand, ComparisonOperand];
}

export interface ComparisonsOptions {
  /** Names it in logs and audit records. */
  readonly name: string;
  readonly rules: readonly Comparison[];
  /** `and`: every rule has to hold. `or`: one of them. */
  readonly aggregation: "and" | "or";
}

const CLAIM = /^\{\{\s*([A-Za-z0-9_-]+)\.([A-Za-z0-9_.:/-]+)\s*\}\}$/;

/** Reads an operand: `{{ connector.claim }}` as a whole, else the text. */
export function comparisonOperand(written: string): ComparisonOperand {
  const [, connector, claim] = CLAIM.exec(written) ?? [];
  return connector === undefined || claim === undefined ? { text: written } : { connector, claim };
}

/**
 * Rules that compare claims of connectors with texts, exactly as they are written. Of numbers and booleans the text is compared. A
 * claim that is missing, empty or a mapping fails its rule, also a negative one: nobody is let in because a provider said nothing.
 */
export function createComparisons({ name, rules, aggregation }: ComparisonsOptions): LocalPolicy {
  const holdFor = (attributes: Attributes) => (rule: Comparison) => holds(rule, attributes);
  return {
    cost: "local",
    name,
    decidesOnListing: true,
    readsCallerAlone: true,
    decide: ({ attributes = {} }) => {
      const isAllowed = aggregation === "or" ? rules.some(holdFor(attributes)) : rules.every(holdFor(attributes));
      return isAllowed ? ALLOWED : DENIED;
    },
  };
}

type Attributes = Readonly<Record<string, JsonObject>>;

function holds({ operator, operands }: Comparison, attributes: Attributes): boolean {
  const [first, second] = operands.map((operand) => comparedValue(operand, attributes));
  // A list has no one text: who must not be an admin would otherwise pass as one of two groups.
  if (first === undefined || typeof second !== "string") return false;
  switch (operator) {
    case "equals":
      return first === second;
    case "notEquals":
      return typeof first === "string" && first !== second;
    case "contains":
      return first.includes(second);
    case "notContains":
      return !first.includes(second);
  }
}

/** A text, or the texts of a list; undefined: there is nothing to compare. */
function comparedValue(operand: ComparisonOperand, attributes: Attributes): string | readonly string[] | undefined {
  if ("text" in operand) return textOf(operand.text);
  const { connector, claim } = operand;
  const claims = Object.hasOwn(attributes, connector) ? attributes[connector] : undefined;
  const value: unknown = claims !== undefined && Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (!Array.isArray(value)) return textOf(value);
  const texts = value.map(textOf);
  // What cannot be compared could be the very element that a rule is about.
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Every text contains the empty one, so that it would pass for anything. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
