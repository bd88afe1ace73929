import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CallExplanation } from "../../../lib/management/schemas/explanations.ts";
import type { ToolDetails } from "../../../lib/management/schemas/tools.ts";
import { useConnection } from "../../api/context.ts";
import { keyOf } from "../../api/keys.ts";
import { path } from "../../api/request.ts";
import type { TestedApp } from "../../policy-test/protocol.ts";
import type { Tested } from "./use-tester.ts";

/** An app with its expressions, where the document is not to be had: the steps of an explanation have them. */
export interface Expressions {
  /** Undefined: they are being read. */
  readonly app: TestedApp | undefined;
  readonly error: unknown;
  readonly retry: () => void;
  /** Reads them; the servers of the app's other policies are asked then. Absent: there is nothing to read. */
  readonly read?: () => void;
}

/** Nobody: whoever it is, the steps have the text of each expression. */
const CALLER = { client_id: "policy-test", sub: "policy-test" };
/** Engines that are evaluated in the instance. */
const LOCAL: readonly string[] = ["cel", "rules"];

interface Found {
  readonly app: TestedApp;
  readonly isWithheld: boolean;
}

/** Reads the expressions of one app by themselves where no server is asked, else when the person wants that. */
export function useExpressions(app: TestedApp | undefined, { document, tools }: Tested): Expressions {
  const { api, organization } = useConnection();
  const [allowed, setAllowed] = useState<string>();
  const isWhole = document === "there" || document === "partly";
  const tool = app && toolOf(app.name, tools);
  const mayAsk = allowed !== undefined && allowed === app?.name;
  const found = useQuery<Found, Error>({
    queryKey: [...keyOf(organization.current(), "/policy-test/expressions"), app?.name, mayAsk],
    queryFn: async ({ signal }) => {
      const none = app as TestedApp;
      const details = (await api.send<ToolDetails>({ path: path`/tools/${tool ?? ""}`, signal })).body;
      const remote = details.policies.filter(({ engine }) => !LOCAL.includes(engine)).map(({ name }) => name);
      const hasExpression = details.policies.some(({ engine }) => engine === "cel");
      if (!hasExpression || (remote.length > 0 && !mayAsk))
        return { app: { ...none, remote }, isWithheld: hasExpression };
      const body = { tool, claims: CALLER };
      const { steps } = (await api.send<CallExplanation>({ method: "POST", path: "/explanations", body, signal })).body;
      const expressions = details.policies.flatMap(({ name, engine }) => {
        const text =
          engine === "cel" ? steps.find((one) => one.step === "policy" && one.name === name)?.rule : undefined;
        return text === undefined ? [] : [{ name, text }];
      });
      const policies = expressions.map(({ name, text }) => ({
        ...{ app: none.name, place: name, name, language: "cel" as const, text, path: [] },
        source: { language: "cel" as const, text },
      }));
      return { app: { ...none, policies, remote }, isWithheld: false };
    },
    enabled: !isWhole && tool !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const retry = () => void found.refetch();
  if (isWhole || tool === undefined || found.error !== null) return { app, error: found.error ?? undefined, retry };
  const isWithheld = found.data?.isWithheld === true;
  return { app: found.data?.app, error: undefined, retry, ...(isWithheld && { read: () => setAllowed(app?.name) }) };
}

/** A tool of the app as agents see it. Of an MCP server, one that it may have is enough. */
function toolOf(app: string, { items, servers }: Tested["tools"]): string | undefined {
  const listed = items.find((one) => one.app === app);
  if (listed !== undefined) return listed.name;
  const server = servers.find((one) => one.app === app);
  const own = server?.include === undefined ? "tool" : server.include.find((name) => /^[\w-]+$/.test(name));
  return server && own && `${server.namespace}${own}`;
}
