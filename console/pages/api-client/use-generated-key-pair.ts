import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { AddedKeyPair } from "../../../lib/management/schemas/key-pairs.ts";
import { useApi } from "../../api/context.ts";
import { isBelow } from "../../api/keys.ts";
import { path } from "../../api/request.ts";

/** A pair that the server generated, with the private key that it answers once. */
export interface GeneratedKeyPair extends AddedKeyPair {
  readonly privateKey: string;
}

export interface Generation {
  readonly pair: GeneratedKeyPair | undefined;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly generate: () => void;
}

/**
 * Has the server generate a key pair. No mutation of the library, which keeps answers for minutes: this one is in the
 * state of one component, and nowhere else. `onHold` hears that there is something that must not get lost.
 */
export function useGeneratedKeyPair(clientId: string, onHold: (isHeld: boolean) => void): Generation {
  const api = useApi();
  const queries = useQueryClient();
  const isSending = useRef(false);
  const [state, setState] = useState<Omit<Generation, "generate">>({
    pair: undefined,
    isPending: false,
    error: undefined,
  });
  const generate = async () => {
    if (isSending.current) return;
    isSending.current = true;
    onHold(true);
    setState({ pair: undefined, isPending: true, error: undefined });
    try {
      const { body } = await api.send<GeneratedKeyPair>({
        method: "POST",
        path: path`/api-clients/${clientId}/key-pairs`,
        body: {},
      });
      setState({ pair: body, isPending: false, error: undefined });
      void queries.invalidateQueries({ predicate: ({ queryKey }) => PATHS.some((path) => isBelow(queryKey, path)) });
    } catch (error) {
      onHold(false);
      setState({ pair: undefined, isPending: false, error });
    } finally {
      isSending.current = false;
    }
  };
  return { ...state, generate: () => void generate() };
}

/** What a new key pair changes. */
const PATHS = ["/api-clients", "/overview"];
