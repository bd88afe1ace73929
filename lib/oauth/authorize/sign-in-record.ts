import { auditEvent } from "../../audit/event.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import type { OAuthClient } from "../clients/client.ts";
import { organizationOf } from "../clients/organization.ts";
import type { SignInContext } from "./context.ts";

/** Records that a person signed in at a connector, in the organization of the client that it was for. */
export async function recordConnectorSignIn(
  {
    userId,
    signIn,
    client,
  }: { readonly userId: string; readonly signIn: ConnectorSignIn; readonly client: OAuthClient },
  { dependencies, request }: SignInContext,
): Promise<void> {
  const organizationId = await organizationOf(client, dependencies);
  await dependencies.stores.auditLog.append(
    auditEvent(dependencies, {
      type: "sign_in.succeeded",
      outcome: "success",
      ...(organizationId !== undefined && { organizationId }),
      actor: userId,
      user: userId,
      agent: client.clientId,
      requestId: request.requestId,
      details: { method: "connector", connector: signIn.connector },
    }),
  );
}
