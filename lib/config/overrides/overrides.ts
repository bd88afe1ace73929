import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { SettingsRecord } from "../../stores/settings.ts";

/** What an organization may override where the configuration lists it (`deployment.overridable`). */
export const OVERRIDE_KINDS = ["limits", "policies"] as const;

export type OverrideKind = (typeof OVERRIDE_KINDS)[number];

/** Entries by kind, valid or not; absent: none. */
export type OverrideValues = Readonly<Partial<Record<OverrideKind, unknown>>>;

/** Whose they are. */
export interface OverridingOrganization {
  readonly organizationId: string;
  /** The instance's first one: apps without an organization are its own (D32). */
  readonly isFirst: boolean;
}

/** What one organization has set. */
export interface StoredOverrides extends Pick<SettingsRecord, "updatedAt" | "updatedBy"> {
  /** Of the settings record that changed them last; 0: nothing was ever set. */
  readonly revision: number;
  readonly isFirst: boolean;
  readonly values: OverrideValues;
  /** See `gcra.ts`: of changes. */
  readonly fullAt: number;
}

/** What is set of the gateway, with the revision that changed it last. */
export type GatewayPart = Pick<SettingsRecord, "revision" | "updatedAt" | "updatedBy">;

/** Members of a settings record's values besides the gateway's settings. */
interface OverridesMembers {
  /** By organization. */
  readonly organizations?: Readonly<Record<string, StoredOverrides>>;
  /** Absent: the record's last change was one of the gateway. */
  readonly gateway?: GatewayPart;
}

const NOTHING: StoredOverrides = { revision: 0, isFirst: false, values: {}, fullAt: 0 };

/** What all organizations have set, by their id. */
export function allOverrides({ values }: Pick<SettingsRecord, "values">): ReadonlyMap<string, StoredOverrides> {
  const { organizations } = values as OverridesMembers;
  return new Map(isJsonObject(organizations) ? Object.entries(organizations as Record<string, StoredOverrides>) : []);
}

export function overridesOf(record: Pick<SettingsRecord, "values">, organizationId: string): StoredOverrides {
  return allOverrides(record).get(organizationId) ?? NOTHING;
}

/** What organizations set is no change of the gateway: its owners do not have to read again. */
export function gatewayPart(record: SettingsRecord): GatewayPart {
  const { gateway } = record.values as OverridesMembers;
  return gateway ?? record;
}

/** The values of a record after a change of the gateway: what organizations have set stays. */
export function withGatewayValues({ values }: SettingsRecord, gatewayValues: JsonObject): JsonObject {
  const { organizations } = values as OverridesMembers;
  return { ...gatewayValues, ...(organizations !== undefined && { organizations }) };
}

/** The values of a record after a change of one organization: all else stays. */
export function withOverridesOf(record: SettingsRecord, organizationId: string, stored: StoredOverrides): JsonObject {
  const { organizations } = record.values as OverridesMembers;
  const { revision, updatedAt, updatedBy } = gatewayPart(record);
  const gateway: GatewayPart = {
    revision,
    ...(updatedAt !== undefined && { updatedAt }),
    ...(updatedBy !== undefined && { updatedBy }),
  };
  return { ...record.values, gateway, organizations: { ...organizations, [organizationId]: stored } };
}

/** The values of a record once an organization has none any more: all else stays. */
export function withoutOverridesOf(record: SettingsRecord, organizationId: string): JsonObject {
  const values = withOverridesOf(record, organizationId, NOTHING);
  const others = Object.entries(values.organizations as JsonObject).filter(([id]) => id !== organizationId);
  return { ...values, organizations: Object.fromEntries(others) };
}
