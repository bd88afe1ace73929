import type { ReactNode } from "react";
import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import { useRead } from "../../api/use-read.ts";
import { GatewayIcon } from "../../icons.tsx";
import { DataState, SkeletonLines } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { SettingsFacts } from "./settings-facts.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { SETTINGS_PATH } from "./use-settings.ts";

/** The settings of the instance's gateway, for its first organization. */
export function GatewaySettingsPage() {
  const { instance, isOwner } = useSession();
  const isElsewhere = instance?.isFirstOrganization === false;
  const settings = useRead<GatewaySettings>(SETTINGS_PATH, { enabled: !isElsewhere });
  if (isElsewhere || settings.error?.status === 403) return <Frame content={<Elsewhere />} />;
  if (settings.error?.status === 404) return <Frame content={<NoGateway detail={settings.error.detail} />} />;
  return (
    <Frame
      content={
        <DataState
          data={settings.data}
          error={settings.error}
          refetch={() => void settings.refetch()}
          problemTitle="The gateway's settings could not be read"
          skeleton={
            <Panel>
              <SkeletonLines lines={8} />
            </Panel>
          }
        >
          {(answer) => (isOwner ? <SettingsForm latest={answer} /> : <SettingsFacts body={answer.body} />)}
        </DataState>
      }
    />
  );
}

function Frame({ content }: { readonly content: ReactNode }) {
  return (
    <PageFrame
      title="Gateway settings"
      term="gatewaySetting"
      description="Settings of this instance's gateway that you can change while it runs. There is one gateway for agents of all organizations. All other settings are in the configuration file."
      width="narrow"
    >
      {content}
    </PageFrame>
  );
}

/** What another organization sees. */
export function Elsewhere() {
  const { organization } = useSession();
  return (
    <Panel>
      <EmptyState
        icon={<GatewayIcon size={20} />}
        title="The first organization changes the gateway settings"
        action={
          <LinkButton href="/gateway" variant="default">
            Tools and sessions of this organization
          </LinkButton>
        }
      >
        The gateway belongs to the whole instance, and so its settings are with the organization that was created first:
        its members see them, its owners change them. <ForeignText text={organization.name} /> is another one. If you
        belong to the first, switch to it in the menu of organizations; else ask whoever runs the instance.
      </EmptyState>
    </Panel>
  );
}

export function NoGateway({ detail }: { readonly detail: string }) {
  return (
    <Panel>
      <EmptyState icon={<GatewayIcon size={20} />} title="This instance has no gateway">
        {detail}
      </EmptyState>
    </Panel>
  );
}
