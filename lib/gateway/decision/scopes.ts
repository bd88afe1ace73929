import type { Step } from "./step.ts";

/** The token carries every scope that the tool needs. Lists show the tool all the same: a step-up can reach it (D26). */
export const scopes: Step = {
  name: "scopes",
  *judge({ scopes: needed, caller }) {
    const held = new Set(caller.identity?.scopes);
    const missing = needed.filter((scope) => !held.has(scope));
    if (needed.length === 0) yield [{ outcome: "allow", why: "none is needed" }];
    else if (missing.length === 0) yield [{ outcome: "allow", why: `the token has ${needed.join(" ")}` }];
    else
      yield [
        {
          outcome: "refuse",
          code: "insufficient_scope",
          message: "The token lacks a scope that this tool needs.",
          reason: "insufficient_scope",
          needs: { scopes: needed },
          why: `the token lacks ${missing.join(" ")}`,
        },
      ];
  },
};
