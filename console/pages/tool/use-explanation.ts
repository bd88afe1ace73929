import type { CallExplanation } from "../../../lib/management/schemas/explanations.ts";
import { useApi } from "../../api/context.ts";

/** What would be decided; or why nobody can tell, which does not keep anybody from the call itself. */
export type Explained = { readonly explanation: CallExplanation } | { readonly error: unknown };

/** Explains what would be decided on a call, with the configuration that is in use; undefined where rules are not shown to the person. */
export type Explain = (call: {
  readonly claims: object;
  readonly tool: string;
  readonly args: object;
}) => Promise<Explained | undefined>;

/** @param mayRead whether rules are shown to the person: to owners */
export function useExplanation(mayRead: boolean): Explain {
  const api = useApi();
  return async ({ claims, tool, args }) => {
    if (!mayRead) return undefined;
    const body = { tool, claims, arguments: args };
    try {
      const { body: explanation } = await api.send<CallExplanation>({ method: "POST", path: "/explanations", body });
      return { explanation };
    } catch (error) {
      return { error };
    }
  };
}
