import type { Context } from "hono";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { Instance } from "../../lib/application/instance.ts";
import type { Access, Operation } from "../../lib/management/operations/operation.ts";
import type { Env, Handler } from "../env.ts";
import { authenticateCaller, authenticatePerson, type Caller, type PersonCaller } from "./caller.ts";
import { limitCaller } from "./limits.ts";

/** What endpoints of the management API take from the instance. */
export type ManagedInstance = Pick<
  Instance,
  "accounts" | "configuration" | "connectors" | "gateway" | "health" | "limits" | "webGateway"
>;

/** The endpoints of operations, by their ids. Each receives the dependencies once and the caller with each request. */
export type Endpoints<Operations extends readonly Operation[]> = {
  readonly [Each in Operations[number] as Each["operationId"]]: ManagementEndpoint<CallerOf<Each["access"]>>;
};

export type ManagementEndpoint<Who> = (
  dependencies: Dependencies,
  instance: ManagedInstance,
) => (c: Context<Env>, caller: Who) => Response | Promise<Response>;

/** Whom an endpoint meets: an API client only where a permission admits it, nobody it knows where anybody may call. */
type CallerOf<Who extends Access> = Who extends { readonly role: "public" }
  ? undefined
  : Who extends { readonly scope: string }
    ? Caller
    : PersonCaller;

/** The endpoint as a handler, which callers that the operation does not admit never reach. */
export function managed(
  { access }: Operation,
  endpoint: ManagementEndpoint<never>,
  dependencies: Dependencies,
  instance: ManagedInstance,
): Handler {
  const answer = endpoint(dependencies, instance) as (c: Context<Env>, caller?: Caller) => Response | Promise<Response>;
  if (access.role === "public") return (c) => answer(c);
  const role = access.role === "owner" && access.isDecidedByEndpoint !== true ? "owner" : "member";
  const { scope } = access;
  return async (c) => {
    const caller =
      scope === undefined
        ? await authenticatePerson(dependencies, c, role)
        : await authenticateCaller(dependencies, c, { role, scope });
    await limitCaller(instance.limits, c, caller);
    return answer(c, caller);
  };
}
