import type { Configuration } from "../config/configuration.ts";
import { consolePage } from "../config/endpoints.ts";
import type { AlertType } from "../config/webhook-configuration.ts";
import type { LogScope } from "../logging/logger.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type { Stores } from "../stores/stores.ts";
import type { Notice, Webhooks } from "./webhooks.ts";

/** Where alerts come from, and how they are told. */
export interface AlertPorts {
  readonly stores: Stores;
  readonly configuration: () => { readonly configuration: Pick<Configuration, "console"> };
  /** Of the request that an alert comes from. */
  readonly logScope: Pick<LogScope, "waitUntil">;
  /** As they are now; undefined: nothing is served yet. */
  readonly webhooks: () => Webhooks | undefined;
}

type AlertEvent = AuditEvent & { readonly type: AlertType };

/**
 * The same stores, which tell webhooks of alerts when their records are durable (D272). The operations that write such records are named
 * one by one: no other one is touched, and nothing is read again. Where a write fails, or its answer is lost, nobody is told.
 */
export function alertingStores({ stores, configuration, logScope, webhooks }: AlertPorts): Stores {
  const tell = (event: AuditEvent | undefined): void => {
    if (event === undefined) return;
    webhooks()?.tell(alertOf(event as AlertEvent, configuration().configuration), logScope.waitUntil() ?? ignore);
  };
  const { directory, members, invitations, apiClients, grants, stops, deployments, auditLog } = stores;
  return {
    ...stores,
    directory: {
      ...directory,
      createFirstOwner: telling(directory.createFirstOwner, tell, (isMade, _, event) => (isMade ? event : undefined)),
    },
    members: {
      ...members,
      changeRole: telling(members.changeRole, tell, (change, _, _role, event) =>
        change === "done" ? event : undefined,
      ),
      removeMember: telling(members.removeMember, tell, (change, _, event) => (change === "done" ? event : undefined)),
    },
    invitations: {
      ...invitations,
      acceptInvitation: telling(invitations.acceptInvitation, tell, (acceptance, ...[, , , event]) =>
        acceptance === "accepted" ? event : undefined,
      ),
    },
    apiClients: {
      ...apiClients,
      // A registry of the release before answers nothing, and has made it.
      create: telling(apiClients.create, tell, (isMade, _, event) => (isMade === false ? undefined : event)),
      addKeyPair: telling(apiClients.addKeyPair, tell, ({ outcome }, ...[, , event]) =>
        outcome === "done" ? event : undefined,
      ),
    },
    grants: {
      ...grants,
      redeem: telling(grants.redeem, tell, (result, { reuseEvent }) => (result === "reused" ? reuseEvent : undefined)),
      rotate: telling(grants.rotate, tell, ({ outcome }, { reuseEvent }) =>
        outcome === "reused" ? reuseEvent : undefined,
      ),
    },
    stops: {
      ...stops,
      replaceStops: telling(stops.replaceStops, tell, (result, _, event) =>
        result === "stale" || isRemoved(event) ? undefined : event,
      ),
    },
    deployments: {
      ...deployments,
      replaceDeployment: telling(deployments.replaceDeployment, tell, (isWritten, _, events) =>
        isWritten ? events.find(({ type }) => PUBLISHING.has(type)) : undefined,
      ),
    },
    auditLog: { ...auditLog, append: telling(auditLog.append, tell, (_, event) => (opens(event) ? event : undefined)) },
  };
}

/** @param recorded what the operation has written of what it was asked to; undefined: nothing that is an alert */
function telling<Args extends readonly unknown[], Result>(
  operation: (...args: Args) => Promise<Result>,
  tell: (event: AuditEvent | undefined) => void,
  recorded: (result: Result, ...args: Args) => AuditEvent | undefined,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    const result = await operation(...args);
    tell(recorded(result, ...args));
    return result;
  };
}

const PUBLISHING: ReadonlySet<string> = new Set(["config.proposed", "config.published"] satisfies AlertType[]);

/** Whether somebody came in by what an operator gave out: all other sign-ins are of every day. */
function opens({ type, details }: AuditEvent): boolean {
  return type === "sign_in.succeeded" && (details?.method === "setup" || details?.method === "link");
}

/** That what was stored of a deleted organization is gone, too: the deletion itself was told. */
function isRemoved({ type, details }: AuditEvent): boolean {
  return type === "organization.deleted" && details?.stage === "removed";
}

/** What the record holds, and where people read it. */
function alertOf(event: AlertEvent, configuration: Pick<Configuration, "console">): Notice {
  const { type, id, time, organizationId, outcome, actor, agent, user, app, reason, names, details } = event;
  const page = new URLSearchParams({ ...(organizationId === undefined && { instance: "true" }), record: id });
  const url = consolePage(`audit?${page}`, configuration);
  const given = { actor, agent, user, app, reason, names, details, url };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { type, id, time, organizationId: organizationId ?? "", data: { outcome, ...Object.fromEntries(known) } };
}

function ignore(): void {
  // Where nothing says how long work may go on, the runtime stays by itself.
}
