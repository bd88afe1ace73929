import { kept } from "../../audit/event.ts";
import { UNKNOWN_TOOL } from "./locate.ts";
import { isWebSubject, type Refusal, type Step } from "./step.ts";

/**
 * The token carries every scope that the tool or the web app's policy needs. Lists show the tool all the same: a step-up can reach it (D26). What no entry
 * names where there are entries can be reached by nobody, and does not exist (D163).
 */
export const scopes: Step = {
  name: "scopes",
  *judge({ scopes: needed, hasNoRule, subject, caller }) {
    const held = new Set(caller.identity?.scopes);
    const missing = needed.filter((scope) => !held.has(scope));
    if (hasNoRule) yield [NO_RULE];
    else if (needed.length === 0) yield [{ outcome: "allow", why: "none is needed" }];
    else if (missing.length === 0) yield [{ outcome: "allow", why: `the token has ${needed.join(" ")}` }];
    else
      yield [
        {
          outcome: "refuse",
          code: "insufficient_scope",
          message: `The token lacks a scope that this ${isWebSubject(subject) ? "request" : "tool"} needs.`,
          reason: "insufficient_scope",
          details: { missing: missing.join(" "), held: kept([...held].join(" ")) },
          needs: { scopes: needed },
          why: `the token lacks ${missing.join(" ")}`,
        },
      ];
  },
  shown: async (tools) => tools.filter(({ hasNoRule }) => !hasNoRule),
};

const NO_RULE: Refusal = {
  ...UNKNOWN_TOOL,
  outcome: "refuse",
  about: "lists",
  reason: "no_rule",
  why: "no entry of authorization.inbound.tools names the tool, and there are others",
};
