import * as z from "zod";
import { about } from "#about";
import { compilePattern } from "../../../policy/cel/pattern-program.ts";
import { PatternError } from "../../../policy/cel/pattern-syntax.ts";
import { pointerSegments } from "../../../tool-rules/result-rule.ts";
import { described, section } from "../section.ts";
import { anything, flag, list, positiveDuration, text } from "../types.ts";
import { toolName } from "./names.ts";

const NAME = "a name of up to 64 letters, digits, - and _ that begins with a letter or _";
const MASK = "a text of up to 200 characters";
const PATTERN = "a regular expression of RE2's syntax without classes such as [[:alpha:]]";

const argumentRule = section({
  fix: described(
    anything().optional(),
    about(
      "Value of every call: any JSON value, or a text that may contain `{{ user.CLAIM }}`, `{{ agent.clientID }}` and `{{ request.id }}`. Agents do not see the argument. A call that lacks a claim is denied.",
      "{{ user.account }}",
    ),
  ),
  hide: described(
    z.literal(true, { error: "true" }).optional(),
    about("Agents do not see the argument, and no call has it.", true),
  ),
  name: described(
    text(NAME)
      .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, { error: NAME })
      .refine((value) => value !== "__proto__", { error: NAME })
      .optional(),
    about("Name that agents see instead.", "recipient"),
  ),
  match: described(
    text(PATTERN).superRefine(reportPattern).optional(),
    about(
      "Pattern that is found in the value, which has to be a text. Anchor it with `^` and `$`.",
      "^NL[0-9]{2}[A-Z0-9]{14}$",
    ),
  ),
  allow: described(
    list(anything()).min(1, { error: "a list of at least one value" }).optional(),
    about("Values that are accepted.", ["EUR", "USD"]),
  ),
});

const POINTER =
  "a JSON Pointer such as /items/*/iban, in which * stands for each item of a list and each member of an object";

const resultRule = described(
  section({
    remove: described(
      list(text(POINTER).refine((value) => pointerSegments(value) !== undefined, { error: POINTER }))
        .min(1, { error: "a list of at least one pointer" })
        .optional(),
      about(
        "JSON Pointers (RFC 6901) of what agents do not get. `*` stands for each item of a list and each member of an object.",
        ["/iban", "/items/*/iban"],
      ),
    ),
    mask: described(
      list(
        section({
          match: described(
            text(PATTERN).superRefine(reportPattern),
            about("Pattern that is looked for in every text and number.", "[0-9]{16}"),
          ),
          with: described(
            z.string({ error: MASK }).max(200, { error: MASK }).default("****"),
            about("What stands in place of each match."),
          ),
        }),
      )
        .min(1, { error: "a list of at least one mask" })
        .optional(),
      about("Texts and numbers that agents get masked."),
    ),
  }).optional(),
  about("What may come back. The output schema that agents see follows."),
);

/** CEL has lines, and braces that are no placeholders (`yaml/placeholders.ts`). */
function expression(accepted: string) {
  return z.string({ error: accepted }).min(1, { error: accepted }).max(4_096, { error: accepted });
}

const SHORTEST = 30_000;
const LONGEST = 86_400_000;
const EXPIRES = "a duration from 30s to 24h";

const approval = section({
  by: described(
    expression("self, owners or a CEL expression"),
    about(
      "Who approves: `self`, the person that the agent acts for; `owners` of the app's organization; or a CEL expression over `approver` that is true for members who may.",
      "owners",
    ),
  ),
  when: described(
    expression("a CEL expression").optional(),
    about(
      "Expression over the input of policies. Calls for which it is false need no approval; an error needs one. By default all calls need one.",
      "request.mcp.tool.params.arguments.amount > 1000",
    ),
  ),
  separate: described(flag().default(false), about("The person that the agent acts for cannot approve.")),
  expires: described(
    positiveDuration()
      .refine((value) => value >= SHORTEST && value <= LONGEST, { error: EXPIRES })
      .prefault("10m"),
    about("Time in which somebody has to decide. An approved call has to be made in the same time after the decision."),
  ),
});

/** What is wrong with a pattern stands behind what is accepted. */
function reportPattern(value: string, context: z.RefinementCtx): void {
  try {
    compilePattern(value);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    context.addIssue({ code: "custom", message: `${PATTERN}; this one ${error.message}` });
  }
}

/** Whether it is a pattern that rules take. */
export function isPattern(value: unknown): value is string {
  try {
    return typeof value === "string" && compilePattern(value).size > 0;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

/** `apps[].tools.rules` of apps of both kinds. */
export const toolRules = described(
  list(
    section({
      tools: described(
        list(toolName()).min(1, { error: "a list of at least one tool" }),
        about("Tools that the entry is for, by name or pattern.", ["createPayment"]),
      ),
      arguments: described(
        z.record(z.string(), argumentRule, { error: "a mapping of arguments" }).optional(),
        about(
          "What agents may send, by the server's name of the argument. All other arguments of the tool stay as they are; what the tool's schema does not declare is refused. By default agents may send all arguments.",
        ),
      ),
      approval: described(
        approval.optional(),
        about("A person has to approve each call, with exactly these arguments, before it is made."),
      ),
      result: resultRule,
    }),
  ).optional(),
  about("Rules for arguments, results and approvals. The first entry that matches a tool applies."),
);
