import type { CallExplanation } from "../../../lib/management/schemas/explanations.ts";
import { useApi } from "../../api/context.ts";

/** Explains what would be decided on a call, with the configuration that is in use; undefined where rules are not shown to the person, or that fails. */
export type Explain = (call: {
  readonly claims: object;
  readonly tool: string;
  readonly args: object;
}) => Promise<CallExplanation | undefined>;

/** @param mayRead whether rules are shown to the person: to owners */
export function useExplanation(mayRead: boolean): Explain {
  const api = useApi();
  return async ({ claims, tool, args }) => {
    if (!mayRead) return undefined;
    const body = { tool, claims, arguments: args };
    try {
      return (await api.send<CallExplanation>({ method: "POST", path: "/explanations", body })).body;
    } catch {
      // The call itself can be made all the same.
      return undefined;
    }
  };
}
