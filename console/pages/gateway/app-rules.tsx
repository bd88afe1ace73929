import type { McpServer } from "../../../lib/management/schemas/tools.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import classes from "./app-rules.module.css";

/** Policies by name, with what decides them. */
export function Policies({ policies }: Pick<McpServer, "policies">) {
  if (policies.length === 0) return "None";
  return (
    <ul className={classes.list}>
      {policies.map(({ name, engine }) => (
        <li key={`${engine} ${name}`}>
          <ForeignText text={name} /> <span className={classes.soft}>({ENGINES[engine]})</span>
        </li>
      ))}
    </ul>
  );
}

const ENGINES = { cel: "CEL", opa: "Open Policy Agent", authzen: "AuthZEN", rules: "rules" } as const;

/** For which people agents may call, in words. */
export const MEMBERS = {
  required: "Members of this organization alone",
  "required where there are several organizations":
    "Anybody who signs in; members alone as soon as there are several organizations",
  any: "Anybody who signs in",
} as const;
