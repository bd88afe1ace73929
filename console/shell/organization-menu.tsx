import { Menu } from "@mantine/core";
import { useLocation } from "wouter";
import { CheckIcon, OrganizationIcon, SelectorIcon } from "../icons.tsx";
import { useAnnounce } from "../parts/announcer.tsx";
import { ForeignText, visibleText } from "../parts/foreign-text.tsx";
import { type Membership, useSession } from "../session/context.ts";
import classes from "./sidebar.module.css";

/** Says which organization the Console is about, and switches to another one. */
export function OrganizationMenu() {
  const { me, organization, switchTo } = useSession();
  const [page, navigate] = useLocation();
  const announce = useAnnounce();
  const choose = ({ organizationId, name }: Membership) => {
    if (organizationId === organization.organizationId) return;
    // A thing of the former organization does not exist in the other one.
    if (page.startsWith("/api-clients/") || page === "/gateway/settings") navigate("/");
    switchTo(organizationId);
    announce(`This is ${visibleText(name)} now.`, { isSilent: true });
  };
  return (
    <Menu width="target" position="bottom-start">
      <Menu.Target>
        <button
          type="button"
          className={classes.trigger}
          data-framed
          aria-label={`Organization ${visibleText(organization.name)}`}
        >
          <span className={classes.letter} aria-hidden="true">
            {[...organization.name][0]?.toUpperCase()}
          </span>
          <span className={classes.label} data-strong>
            <ForeignText text={organization.name} isCut />
          </span>
          <SelectorIcon size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Organizations</Menu.Label>
        {me.organizations.map((membership) => (
          <Menu.Item
            key={membership.organizationId}
            role="menuitemradio"
            aria-checked={membership.organizationId === organization.organizationId}
            rightSection={
              membership.organizationId === organization.organizationId ? <CheckIcon size={14} /> : undefined
            }
            onClick={() => choose(membership)}
          >
            <ForeignText text={membership.name} />
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<OrganizationIcon size={14} />} onClick={() => navigate("/organization")}>
          Manage organization
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
