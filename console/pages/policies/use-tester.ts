import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ConfigurationDocument } from "../../../lib/management/schemas/deployment.ts";
import type { ToolList } from "../../../lib/management/schemas/tools.ts";
import { useConnection } from "../../api/context.ts";
import { keyOf } from "../../api/keys.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useRead } from "../../api/use-read.ts";
import type { TestedApp } from "../../policy-test/protocol.ts";
import { createTester, type Tester } from "../../policy-test/tester.ts";
import { useSession } from "../../session/context.ts";

/** A tester that ends with the page. */
export function useTester(): Tester {
  const [tester] = useState(() => createTester(startWorker));
  useEffect(() => tester.stop, [tester]);
  return tester;
}

/** The build finds the worker by these very words. */
function startWorker(): Worker {
  return new Worker(new URL("../../policy-test/worker.ts", import.meta.url), { type: "module" });
}

/** What there is to test. */
export interface Tested {
  readonly apps: readonly TestedApp[];
  readonly tools: ToolList;
  /** `hidden`: the document is for owners of the first organization. `none`: the instance shows none. `partly`: its compiled policies are too large. */
  readonly document: "there" | "partly" | "hidden" | "none";
}

/** Milliseconds: compiled documents can be some megabytes. */
const TIMEOUT = 120_000;

/** The apps of the organization with their policies, as far as whoever is signed in may read them. Undefined until they are there. */
export function useTested(tester: Tester): {
  readonly tested: Tested | undefined;
  readonly error: unknown;
  readonly retry: () => void;
} {
  const { api, organization } = useConnection();
  const { instance } = useSession();
  const tools = useRead<ToolList>("/tools");
  const isFirst = instance?.isFirstOrganization;
  const shown = useQuery<Pick<Tested, "apps" | "document">, Error>({
    queryKey: [...keyOf(organization.current(), "/policy-test"), isFirst],
    queryFn: async ({ signal }) => {
      if (!isFirst) return { apps: [], document: "hidden" };
      const request = { path: "/deployment/document", query: { tools: true }, timeout: TIMEOUT, signal };
      try {
        const { document, hidden, catalogs, policies } = (await api.send<ConfigurationDocument>(request)).body;
        const apps = await tester.ask({ kind: "list", shown: { document, hidden, ...(policies && { policies }) } });
        return { apps, document: catalogs === undefined ? "partly" : "there" };
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return { apps: [], document: "none" };
        throw error;
      }
    },
    enabled: isFirst !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const retry = () => {
    if (tools.isError) void tools.refetch();
    if (shown.isError) void shown.refetch();
  };
  if (tools.data === undefined || shown.data === undefined) {
    return { tested: undefined, error: tools.error ?? shown.error ?? undefined, retry };
  }
  const { body } = tools.data;
  const listed = shown.data.apps;
  const names = [...new Set([...body.items, ...body.servers].map(({ app }) => app))];
  const others = names.filter((name) => listed.every((app) => app.name !== name));
  const apps = [...listed, ...others.map((name) => ({ name, policies: [], remote: [] }))];
  return { tested: { apps, tools: body, document: shown.data.document }, error: undefined, retry };
}
