import type { AgentSide } from "../../proxy/agent-side.ts";
import { tooLarge } from "../../proxy/wire/upstream-failure.ts";

/** Bytes: the longest list that is kept. */
const LIMIT = 32 * 1024 * 1024;

/** The outlets of a request whose answer is read and goes nowhere. */
export function collecting(): Pick<AgentSide, "relay" | "openAnswer"> & { readonly text: () => string } {
  const decoder = new TextDecoder();
  let text = "";
  return {
    relay: ignore,
    openAnswer: () => ({
      write: async (chunk) => {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > LIMIT) throw tooLarge("An answer", LIMIT);
      },
      commit: ignore,
      withdraw: ignore,
    }),
    text: () => text + decoder.decode(),
  };
}

function ignore(): void {
  // Nobody hears of it.
}
