import { useQuery } from "@tanstack/react-query";
import type { Trial } from "../../../lib/management/schemas/tools.ts";
import { useConnection } from "../../api/context.ts";
import { type ChosenCaller, keyOfCaller, trialBody } from "./caller-choice.tsx";
import { type Listed, listTools, type Refused } from "./gateway-client.ts";

/** A list of tools, and as whom it was read. */
export interface ReadList {
  readonly caller: ChosenCaller;
  readonly claims: Trial["claims"];
  /** ISO 8601. */
  readonly at: string;
  readonly answer: Listed | Refused;
}

export interface ToolList {
  /** What the caller was last told; undefined: it was not asked yet. */
  readonly list: ReadList | undefined;
  readonly error: unknown;
  readonly isReading: boolean;
  readonly read: () => void;
}

/** How long a list is kept that no page shows, milliseconds. */
const KEPT = 600_000;

/** What the gateway lists for a caller, kept by caller. It is read when somebody asks for it: each time is a token, and a record. */
export function useToolList(caller: ChosenCaller | undefined): ToolList {
  const { api, organization } = useConnection();
  const query = useQuery<ReadList>({
    queryKey: [organization.current() ?? "", "tools-as", caller === undefined ? "" : keyOfCaller(caller)],
    queryFn: async () => {
      if (caller === undefined) throw new Error("Nobody is chosen to read the list.");
      const { body } = await api.send<Trial>({ method: "POST", path: "/trials", body: trialBody(caller) });
      const answer = await listTools(body);
      return { caller, claims: body.claims, at: new Date().toISOString(), answer };
    },
    enabled: false,
    retry: false,
    gcTime: KEPT,
  });
  return { list: query.data, error: query.error, isReading: query.isFetching, read: () => void query.refetch() };
}
