import { useSearchParams } from "wouter";

/** Who calls what, as far as the address holds it. Claims and arguments are not in it: they may be of somebody. */
export interface Choice {
  readonly tool: string;
  /** The client that calls; empty: none is chosen. */
  readonly client: string;
  /** For whom it acts; empty: for itself. */
  readonly person: string;
  /** Of its token, with spaces between; undefined: all that it may ask for. */
  readonly scopes: string | undefined;
}

const PAGE = "/why";

/** The choice of the address, and how it changes there without filling the browser's history. */
export function useChoice(): readonly [Choice, (choice: Choice) => void] {
  const [parameters, setParameters] = useSearchParams();
  const [tool = "", client = "", person = ""] = ["tool", "client", "person"].map((name) => parameters.get(name) ?? "");
  const choice = { tool, client, person, scopes: parameters.get("scopes") ?? undefined };
  return [choice, (next) => setParameters(parametersOf(next), { replace: true })];
}

/** Where the page explains this. */
export function whyAddress(choice: Choice): string {
  return `${PAGE}?${parametersOf(choice)}`;
}

/** What the API is asked for it. */
export function callOf({ tool, client, person, scopes }: Choice): object {
  const held = scopes?.split(/\s+/).filter((scope) => scope !== "");
  return {
    ...{ tool, clientId: client },
    ...(person !== "" && { person }),
    ...(held !== undefined && { scopes: held }),
  };
}

function parametersOf({ scopes, ...named }: Choice): URLSearchParams {
  const parameters = new URLSearchParams(Object.entries(named).filter(([, value]) => value !== ""));
  if (scopes !== undefined) parameters.set("scopes", scopes);
  return parameters;
}
