import { useId } from "react";
import { Link, useLocation } from "wouter";
import {
  ApprovalIcon,
  AuditIcon,
  CheckIcon,
  GatewayIcon,
  KeyIcon,
  LimitIcon,
  LinkIcon,
  OrganizationIcon,
  OverviewIcon,
  PlugIcon,
  PublishIcon,
  QuestionIcon,
  SettingsIcon,
  StopIcon,
  WarningIcon,
} from "../icons.tsx";
import { useSession } from "../session/context.ts";
import classes from "./navigation-links.module.css";

export interface Target {
  readonly href: string;
  readonly label: string;
  readonly icon: typeof OverviewIcon;
  /** The gateway is set up by the instance's first organization alone. */
  readonly isOfFirstOrganization?: boolean;
  /** Members find what concerns them elsewhere. */
  readonly isForOwners?: boolean;
}

interface TargetGroup {
  readonly heading?: string;
  readonly targets: readonly Target[];
}

const GROUPS: readonly TargetGroup[] = [
  {
    targets: [
      { href: "/", label: "Overview", icon: OverviewIcon },
      { href: "/api-clients", label: "API clients", icon: KeyIcon },
      { href: "/audit", label: "Audit log", icon: AuditIcon },
      { href: "/approvals", label: "Approvals", icon: ApprovalIcon },
      { href: "/stops", label: "Stops", icon: StopIcon },
    ],
  },
  {
    heading: "Gateway",
    targets: [
      { href: "/gateway", label: "Tools and sessions", icon: GatewayIcon },
      { href: "/gateway/access", label: "Who can call what", icon: KeyIcon },
      { href: "/why", label: "Why?", icon: QuestionIcon, isForOwners: true },
      { href: "/policies", label: "Test policies", icon: CheckIcon, isForOwners: true },
      { href: "/gateway/pins", label: "Held tools", icon: WarningIcon },
      { href: "/connections", label: "Connections", icon: PlugIcon },
      { href: "/connected-agents", label: "Connected agents", icon: LinkIcon, isForOwners: true },
      { href: "/gateway/limits", label: "Limits", icon: LimitIcon, isOfFirstOrganization: true },
      { href: "/gateway/configuration", label: "Configuration", icon: PublishIcon, isOfFirstOrganization: true },
      { href: "/gateway/settings", label: "Settings", icon: SettingsIcon, isOfFirstOrganization: true },
    ],
  },
  { heading: "Manage", targets: [{ href: "/organization", label: "Organization", icon: OrganizationIcon }] },
];

export function NavigationLinks() {
  return (
    <nav aria-label="Console" className={classes.nav}>
      {GROUPS.map((group) => (
        <LinkGroup key={group.heading ?? ""} group={group} />
      ))}
    </nav>
  );
}

/** The pages that concern whoever is signed in. */
export function useTargets(targets: readonly Target[] = GROUPS.flatMap((group) => group.targets)): readonly Target[] {
  const { instance, isOwner } = useSession();
  return targets.filter(
    (target) => (!target.isOfFirstOrganization || instance?.isFirstOrganization) && (!target.isForOwners || isOwner),
  );
}

function LinkGroup({ group: { heading, targets } }: { readonly group: TargetGroup }) {
  const id = useId();
  const shown = useTargets(targets);
  return (
    <div className={classes.group}>
      {heading && (
        <span id={id} className={classes.heading}>
          {heading}
        </span>
      )}
      <ul className={classes.list} aria-labelledby={heading && id}>
        {shown.map((target) => (
          <li key={target.href}>
            <PageLink target={target} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function PageLink({ target: { href, label, icon: Icon } }: { readonly target: Target }) {
  const [page] = useLocation();
  const isParent = href !== "/" && href !== "/gateway" && page.startsWith(`${href}/`);
  const current = page === href ? "page" : isParent ? "true" : undefined;
  return (
    <Link href={href} className={classes.link} aria-current={current}>
      <Icon />
      {label}
    </Link>
  );
}
