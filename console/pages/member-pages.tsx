import { lazy } from "react";
import { Route, Switch } from "wouter";
import { NotFoundPage } from "./not-found/not-found-page.tsx";

const loadOverview = async () => ({ default: (await import("./overview/overview-page.tsx")).OverviewPage });
const OverviewPage = lazy(loadOverview);
const OrganizationPage = lazy(async () => ({
  default: (await import("./organization/organization-page.tsx")).OrganizationPage,
}));
const ApiClientsPage = lazy(async () => ({
  default: (await import("./api-clients/api-clients-page.tsx")).ApiClientsPage,
}));
const ApiClientPage = lazy(async () => ({ default: (await import("./api-client/api-client-page.tsx")).ApiClientPage }));
const GatewayPage = lazy(async () => ({ default: (await import("./gateway/gateway-page.tsx")).GatewayPage }));
const ToolPage = lazy(async () => ({ default: (await import("./tool/tool-page.tsx")).ToolPage }));
const GatewaySettingsPage = lazy(async () => ({
  default: (await import("./gateway-settings/gateway-settings-page.tsx")).GatewaySettingsPage,
}));
const ConnectionsPage = lazy(async () => ({
  default: (await import("./connections/connections-page.tsx")).ConnectionsPage,
}));
const ConnectedAgentsPage = lazy(async () => ({
  default: (await import("./connected-agents/connected-agents-page.tsx")).ConnectedAgentsPage,
}));
const AccessPage = lazy(async () => ({ default: (await import("./access/access-page.tsx")).AccessPage }));
const PinsPage = lazy(async () => ({ default: (await import("./pins/pins-page.tsx")).PinsPage }));
const DeploymentPage = lazy(async () => ({
  default: (await import("./deployment/deployment-page.tsx")).DeploymentPage,
}));
const ConfigurationEditorPage = lazy(async () => ({
  default: (await import("./configuration-editor/configuration-editor-page.tsx")).ConfigurationEditorPage,
}));
const LimitsPage = lazy(async () => ({ default: (await import("./limits/limits-page.tsx")).LimitsPage }));
const WhyPage = lazy(async () => ({ default: (await import("./why/why-page.tsx")).WhyPage }));
const PoliciesPage = lazy(async () => ({ default: (await import("./policies/policies-page.tsx")).PoliciesPage }));
const StopsPage = lazy(async () => ({ default: (await import("./stops/stops-page.tsx")).StopsPage }));
const ApprovalsPage = lazy(async () => ({ default: (await import("./approvals/approvals-page.tsx")).ApprovalsPage }));
const ApprovalPage = lazy(async () => ({ default: (await import("./approvals/approval-page.tsx")).ApprovalPage }));
const AuditPage = lazy(async () => ({ default: (await import("./audit/audit-page.tsx")).AuditPage }));
const AccountPage = lazy(async () => ({ default: (await import("./account/account-page.tsx")).AccountPage }));

/** Begins to load the page that most people open first, while it is still asked who they are. */
export function beginOverview(): void {
  loadOverview().catch(() => {
    // The page asks for it again, and tells of what fails then.
  });
}

/** What signed-in people see inside the shell; one chunk a page. */
export function MemberPages() {
  return (
    <Switch>
      <Route path="/">
        <OverviewPage />
      </Route>
      <Route path="/organization">
        <OrganizationPage />
      </Route>
      <Route path="/api-clients">
        <ApiClientsPage />
      </Route>
      <Route path="/api-clients/:clientId">
        {({ clientId }) => <ApiClientPage key={clientId} clientId={clientId} />}
      </Route>
      <Route path="/gateway">
        <GatewayPage />
      </Route>
      <Route path="/gateway/tools/:name">{({ name }) => <ToolPage key={name} name={name} />}</Route>
      <Route path="/why">
        <WhyPage />
      </Route>
      <Route path="/policies">
        <PoliciesPage />
      </Route>
      <Route path="/connections">
        <ConnectionsPage />
      </Route>
      <Route path="/connected-agents">
        <ConnectedAgentsPage />
      </Route>
      <Route path="/gateway/settings">
        <GatewaySettingsPage />
      </Route>
      <Route path="/gateway/access">
        <AccessPage />
      </Route>
      <Route path="/gateway/pins">
        <PinsPage />
      </Route>
      <Route path="/gateway/configuration">
        <DeploymentPage />
      </Route>
      <Route path="/gateway/configuration/edit">
        <ConfigurationEditorPage />
      </Route>
      <Route path="/gateway/limits">
        <LimitsPage />
      </Route>
      <Route path="/approvals">
        <ApprovalsPage />
      </Route>
      <Route path="/approvals/:approvalId">
        {({ approvalId }) => <ApprovalPage key={approvalId} approvalId={approvalId} />}
      </Route>
      <Route path="/stops">
        <StopsPage />
      </Route>
      <Route path="/audit">
        <AuditPage />
      </Route>
      <Route path="/account">
        <AccountPage />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}
