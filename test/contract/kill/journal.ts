import type { Stores } from "../../../lib/stores/stores.ts";

/** What a writer says: that it is about to call an operation, and later how that ended. */
export type Line =
  | { readonly id: number; readonly port: string; readonly operation: string; readonly args: readonly unknown[] }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

/** One call of a writer that was killed. Without an acknowledgement it happened as a whole or not at all. */
export interface Call<Args, Value> {
  readonly args: Args;
  readonly acknowledged: { readonly value: Value } | undefined;
}

/** The same stores, saying each call before it begins and each result once it is known. */
export function journaled(stores: Stores, say: (line: Line) => void): Stores {
  let calls = 0;
  const watched = <T extends object>(target: T, port: string): T =>
    new Proxy(target, {
      get: (_target, name) => {
        const operation = Reflect.get(target, name) as (...args: readonly unknown[]) => Promise<unknown>;
        return async (...args: readonly unknown[]) => {
          const id = calls++;
          say({ id, port, operation: String(name), args });
          try {
            const value = await operation(...args);
            say({ id, value });
            return value;
          } catch (error) {
            say({ id, error: String(error) });
            throw error;
          }
        };
      },
    });
  return {
    apiClients: watched(stores.apiClients, "apiClients"),
    tokens: watched(stores.tokens, "tokens"),
    grants: watched(stores.grants, "grants"),
    registeredClients: watched(stores.registeredClients, "registeredClients"),
    signingKeys: watched(stores.signingKeys, "signingKeys"),
    singleUse: watched(stores.singleUse, "singleUse"),
    directory: watched(stores.directory, "directory"),
    members: watched(stores.members, "members"),
    invitations: watched(stores.invitations, "invitations"),
    passkeys: watched(stores.passkeys, "passkeys"),
    identities: watched(stores.identities, "identities"),
    settings: watched(stores.settings, "settings"),
    stops: watched(stores.stops, "stops"),
    pins: watched(stores.pins, "pins"),
    deployments: watched(stores.deployments, "deployments"),
    limits: watched(stores.limits, "limits"),
    auditLog: watched(stores.auditLog, "auditLog"),
    mcpSessions: watched(stores.mcpSessions, "mcpSessions"),
    connections: watched(stores.connections, "connections"),
    approvals: watched(stores.approvals, "approvals"),
  };
}

/**
 * Takes a writer's lines and tells the one to kill it at: the first token that is issued after so many acknowledgements.
 * What is done after the answer is then still to be done.
 */
export function killingLine(acknowledgements: number): (line: Line) => boolean {
  let acknowledged = 0;
  return (line) => {
    if (!isAcknowledgement(line)) return false;
    acknowledged++;
    return acknowledged >= acknowledgements && JSON.stringify(line).includes('"issued"');
  };
}

function isAcknowledgement(line: Line): boolean {
  return "value" in line || !("port" in line || "error" in line);
}

/**
 * Every call of one operation in the journals of several writers.
 *
 * @throws Error when none was acknowledged: whoever goes through them would find nothing wrong in nothing
 */
export function callsOf<Port extends keyof Stores, Operation extends keyof Stores[Port]>(
  journals: readonly (readonly Line[])[],
  port: Port,
  operation: Operation,
): readonly Call<ArgumentsOf<Stores[Port][Operation]>, ValueOf<Stores[Port][Operation]>>[] {
  const calls = journals.flatMap((lines) => {
    const answers = new Map(lines.filter(isAcknowledgement).map((line) => [line.id, line]));
    return lines.flatMap((line) => {
      if (!("port" in line) || line.port !== port || line.operation !== operation) return [];
      const answer = answers.get(line.id) as { readonly value: ValueOf<Stores[Port][Operation]> } | undefined;
      return [{ args: line.args as ArgumentsOf<Stores[Port][Operation]>, acknowledged: answer }];
    });
  });
  if (calls.some(({ acknowledged }) => acknowledged !== undefined)) return calls;
  throw new Error(`none of ${calls.length} calls of ${port}.${String(operation)} was acknowledged`);
}

type ArgumentsOf<T> = T extends (...args: infer Args) => Promise<unknown> ? Args : never;
type ValueOf<T> = T extends (...args: never) => Promise<infer Value> ? Value : never;
