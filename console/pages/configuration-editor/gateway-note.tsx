import type { CheckState } from "../../configuration-check/checker.ts";
import { Note } from "../../parts/note.tsx";

/** Where the text says nothing of a gateway, the form turns one on. */
export function GatewayNote({ checks }: { readonly checks: CheckState }) {
  if (checks.result?.hasGateway !== false) return null;
  return (
    <Note title="It also turns the gateway on">
      The text has no mcpProvider. The form adds it with enabled: true. Agents reach it once a transport is set up
      there. To turn the gateway on takes a restart: choose that when you publish.
    </Note>
  );
}
