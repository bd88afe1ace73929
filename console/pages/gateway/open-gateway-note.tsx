import { Link } from "wouter";
import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import { useRead } from "../../api/use-read.ts";
import { Note } from "../../parts/note.tsx";
import { useSession } from "../../session/context.ts";

/** For members of the first organization: that the gateway asks nobody who they are. */
export function OpenGatewayNote() {
  const { instance } = useSession();
  const settings = useRead<GatewaySettings>("/gateway-settings", { enabled: instance?.isFirstOrganization === true });
  const { enabled, oauthEnabled } = settings.data?.body.settings ?? {};
  if (enabled?.value !== true || oauthEnabled?.value !== false) return null;
  return (
    <Note tone="warn" title="The gateway asks nobody for a token">
      OAuth is off: whoever reaches the address may call the tools.{" "}
      <Link href="/gateway/settings">Gateway settings</Link>
    </Note>
  );
}
