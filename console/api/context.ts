import { createContext, useContext } from "react";
import type { OrganizationChoice } from "../session/organization-choice.ts";
import type { ApiClient } from "./client.ts";
import type { SessionGate } from "./session-gate.ts";

/** What talks to the server, made once by `main.tsx`. */
export interface Connection {
  readonly api: ApiClient;
  readonly gate: SessionGate;
  readonly organization: OrganizationChoice;
}

export const ConnectionContext = createContext<Connection | undefined>(undefined);

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === undefined) throw new Error("There is no ConnectionContext around this component.");
  return connection;
}

/** The API client, for the rare request that neither `useRead`, `useList` nor `useSend` fits: a download, say. */
export function useApi(): ApiClient {
  return useConnection().api;
}
