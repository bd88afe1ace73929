import { startVendorServer, type VendorServer } from "./vendor-server.ts";

export interface CcpContent {
  readonly safe: string;
  /** Fields of accounts by `folder/object`, besides those that every account has. */
  readonly accounts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Common names of client certificates by application. */
  readonly applications: Readonly<Record<string, string>>;
}

export interface CcpTls {
  readonly cert: string;
  readonly key: string;
  /** Who vouches for client certificates. */
  readonly ca: string;
}

/**
 * Stands in for CyberArk's Central Credential Provider, which is a Windows service and cannot run here. It follows the
 * documentation of "Call the Web Service using REST": path, parameters, that `+` stands for itself, the fields of the answer,
 * status codes and error codes; connections need a client certificate.
 */
export function startCcp(content: CcpContent, { cert, key, ca }: CcpTls): Promise<VendorServer> {
  return startVendorServer(
    ({ method, path, certifiedAs }) => {
      const [address, query = ""] = path.split("?");
      if (method !== "GET" || address !== "/AIMWebService/api/Accounts") return new Response(null, { status: 404 });
      const { AppID, Safe, Folder = "Root", Object: object = "" } = parametersOf(query);
      if (!AppID) return refusal(400, "AIMWS031E", "Invalid request. The AppID parameter is required.");
      const certified = content.applications[AppID];
      if (certified === undefined) return refusal(403, "APPAP008E", `User ${AppID} is not defined.`);
      if (certified !== certifiedAs)
        return refusal(403, "APPAP133E", "Failed to verify application authentication data");
      const fields = Safe === content.safe ? content.accounts[`${Folder}/${object}`] : undefined;
      if (fields === undefined) {
        return refusal(
          404,
          "APPAP004E",
          `Password object matching query [Safe=${Safe};Folder=${Folder};Object=${object}] was not found`,
        );
      }
      return Response.json({
        CreationMethod: "PVWA",
        Safe,
        Folder,
        Name: object,
        PolicyID: "UnixSSH",
        PasswordChangeInProcess: "False",
        ...fields,
      });
    },
    { cert, key, ca, requestCert: true, rejectUnauthorized: true },
  );
}

function refusal(status: number, ErrorCode: string, ErrorMsg: string): Response {
  return Response.json({ ErrorCode, ErrorMsg }, { status });
}

function parametersOf(query: string): Readonly<Record<string, string>> {
  const pairs = query.split("&").map((pair) => pair.split("=").map(decodeURIComponent));
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, value]));
}
