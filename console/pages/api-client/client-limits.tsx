import { Link } from "wouter";
import type { GatewaySettings, LimitSetting } from "../../../lib/management/schemas/gateway-settings.ts";
import type { OrganizationOverrides } from "../../../lib/management/schemas/overrides.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { LimitIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { SETTINGS_PATH } from "../gateway-settings/use-settings.ts";
import { aboutText, amountText, joined } from "../limits/limit-texts.ts";
import { holdsFor } from "./limits-of-client.ts";

/** How much the client may use: the instance's limits, where the organization may see them, and the organization's own. */
export function ClientLimits({ clientId }: { readonly clientId: string }) {
  const { instance, organization } = useSession();
  const isFirst = instance?.isFirstOrganization === true;
  const settings = useRead<GatewaySettings>(SETTINGS_PATH, { enabled: isFirst });
  const own = useRead<OrganizationOverrides>(path`/organizations/${organization.organizationId}/overrides`);
  // An instance without a gateway has no such limits.
  const error = settings.error?.status === 404 ? own.error : (settings.error ?? own.error);
  const isRead = instance !== undefined && own.data !== undefined && !(isFirst && settings.isPending);
  const limits = [
    ...(settings.data?.body.settings.limits.value ?? []),
    ...(own.data?.body.overrides.limits.value ?? []),
  ].filter((limit) => holdsFor(limit, clientId, organization.organizationId));
  return (
    <Panel
      flush
      title="Limits"
      description={
        isFirst
          ? "Those that can count what it asks. Each that fits a call applies."
          : "Those of this organization that can count what it asks. The operator's apply as well."
      }
      actions={isFirst && <Link href="/gateway/limits">All limits</Link>}
    >
      <DataState
        data={isRead && error === null ? limits : undefined}
        error={error}
        refetch={() => void Promise.all([isFirst && settings.refetch(), own.refetch()])}
        problemTitle="The limits could not be read"
        empty={
          <EmptyState icon={<LimitIcon size={20} />} title={isFirst ? "No limits" : "No limits of this organization"}>
            Only the limits that are always there hold, such as those of token requests and of denied calls.
          </EmptyState>
        }
      >
        {(rows) => <DataTable label="Limits" columns={COLUMNS} rows={rows} keyOf={({ name }) => name} />}
      </DataState>
    </Panel>
  );
}

const COLUMNS: readonly Column<LimitSetting>[] = [
  { id: "name", header: "Name", isName: true, cell: ({ name }) => <ForeignText text={name} /> },
  { id: "about", header: "About", cell: (limit) => <ForeignText text={aboutText(limit)} /> },
  {
    id: "per",
    header: "Counted by",
    width: "9rem",
    cell: ({ per }) => <ForeignText text={joined(per) || "default"} />,
  },
  { id: "amount", header: "At most", width: "14rem", cell: (limit) => <ForeignText text={amountText(limit)} /> },
];
