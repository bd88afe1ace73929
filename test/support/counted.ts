import type { Dependencies } from "../../lib/application/dependencies.ts";

/** Names of store operations and signature verifications in the order in which the product called them. */
export interface Calls {
  readonly names: string[];
}

/** The same dependencies, writing down each call of a store or of the verifier. */
export function counted(dependencies: Dependencies, { names }: Calls): Dependencies {
  const watch = <T extends object>(port: T, portName: string): T =>
    new Proxy(port, {
      get: (target, property, receiver) => {
        const value: unknown = Reflect.get(target, property, receiver);
        if (typeof value !== "function") return value;
        return (...parameters: unknown[]) => {
          names.push(`${portName}.${String(property)}`);
          return Reflect.apply(value, target, parameters);
        };
      },
    });
  const {
    apiClients,
    tokens,
    grants,
    registeredClients,
    signingKeys,
    singleUse,
    directory,
    members,
    invitations,
    passkeys,
    identities,
    settings,
    stops,
    pins,
    deployments,
    limits,
    auditLog,
    mcpSessions,
    connections,
    approvals,
  } = dependencies.stores;
  return {
    ...dependencies,
    signatures: watch(dependencies.signatures, "signatures"),
    stores: {
      apiClients: watch(apiClients, "apiClients"),
      tokens: watch(tokens, "tokens"),
      grants: watch(grants, "grants"),
      registeredClients: watch(registeredClients, "registeredClients"),
      signingKeys: watch(signingKeys, "signingKeys"),
      singleUse: watch(singleUse, "singleUse"),
      directory: watch(directory, "directory"),
      members: watch(members, "members"),
      invitations: watch(invitations, "invitations"),
      passkeys: watch(passkeys, "passkeys"),
      identities: watch(identities, "identities"),
      settings: watch(settings, "settings"),
      stops: watch(stops, "stops"),
      pins: watch(pins, "pins"),
      deployments: watch(deployments, "deployments"),
      limits: watch(limits, "limits"),
      auditLog: watch(auditLog, "auditLog"),
      mcpSessions: watch(mcpSessions, "mcpSessions"),
      connections: watch(connections, "connections"),
      approvals: watch(approvals, "approvals"),
    },
  };
}
