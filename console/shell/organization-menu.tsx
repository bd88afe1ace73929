import { Menu, VisuallyHidden } from "@mantine/core";
import { useLocation } from "wouter";
import { CheckIcon, OrganizationIcon, SelectorIcon } from "../icons.tsx";
import { useAnnounce } from "../parts/announcer.tsx";
import { ForeignText, visibleText } from "../parts/foreign-text.tsx";
import { type Membership, useSession } from "../session/context.ts";
import classes from "./sidebar.module.css";
import { SIDEBAR_MENU } from "./sidebar-menu.ts";

/** Says which organization the Console is about, and switches to another one. */
export function OrganizationMenu() {
  const { me, organization, switchTo } = useSession();
  const [page, navigate] = useLocation();
  const announce = useAnnounce();
  const choose = ({ organizationId, name }: Membership) => {
    // A thing of the former organization does not exist in the other one.
    if (page.startsWith("/api-clients/") || page === "/gateway/settings") navigate("/");
    switchTo(organizationId);
    announce(`The Console is about ${visibleText(name)} now.`, { isSilent: true });
  };
  return (
    <Menu {...SIDEBAR_MENU} position="bottom-start">
      <Menu.Target>
        <button type="button" className={classes.trigger} data-framed>
          <span className={classes.letter} aria-hidden="true">
            {[...organization.name][0]?.toUpperCase()}
          </span>
          <VisuallyHidden>Organization</VisuallyHidden>
          <span className={classes.label} data-strong>
            <ForeignText text={organization.name} isCut />
          </span>
          <SelectorIcon size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Organizations</Menu.Label>
        {me.organizations.map((membership) => (
          <Menu.RadioItem
            key={membership.organizationId}
            value={membership.organizationId}
            checked={membership.organizationId === organization.organizationId}
            checkIcon={<CheckIcon size={14} />}
            closeMenuOnClick
            onChange={() => choose(membership)}
          >
            <ForeignText text={membership.name} />
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<OrganizationIcon size={14} />} onClick={() => navigate("/organization")}>
          Manage organization
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
