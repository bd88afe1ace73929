import type { TLSSocket } from "node:tls";
import type { TlsConfiguration } from "../../../../lib/config/configuration.ts";

/** Why a connection does not get what its entry of `tls` asks for; undefined when it does. For the log. */
export function refusalOf(socket: TLSSocket, { clientAuth, minVersion }: TlsConfiguration): string | undefined {
  // One listener speaks the least version of all its entries: a client's choice is known only now.
  if (minVersion === "1.3" && socket.getProtocol() !== "TLSv1.3") return "TLS version too low";
  const isPresent = socket.getPeerX509Certificate() !== undefined;
  switch (clientAuth) {
    case "NoClientCert":
    case "RequestClientCert":
      return undefined;
    case "RequireAnyClientCert":
      return isPresent ? undefined : MISSING;
    case "VerifyClientCertIfGiven":
      return isPresent ? verification(socket) : undefined;
    case "RequireAndVerifyClientCert":
      return isPresent ? verification(socket) : MISSING;
  }
}

const MISSING = "no client certificate";

function verification(socket: TLSSocket): string | undefined {
  if (socket.authorized) return undefined;
  // The types say Error; it is the code, for example CERT_HAS_EXPIRED.
  return `client certificate refused: ${String(socket.authorizationError)}`;
}
