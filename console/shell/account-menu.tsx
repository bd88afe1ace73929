import { Menu, VisuallyHidden } from "@mantine/core";
import { useLocation } from "wouter";
import { asProblem } from "../api/problem.ts";
import { PersonIcon, SelectorIcon, SignOutIcon } from "../icons.tsx";
import { useAnnounce } from "../parts/announcer.tsx";
import { useSession } from "../session/context.ts";
import { ColourSchemeItems } from "./colour-scheme-items.tsx";
import classes from "./sidebar.module.css";
import { SIDEBAR_MENU } from "./sidebar-menu.ts";

/** The person: their account, the colours they like, and the way out. */
export function AccountMenu() {
  const { me, signOut } = useSession();
  const [, navigate] = useLocation();
  const announce = useAnnounce();
  const name = me.email ?? me.userId;
  const leave = () =>
    signOut().catch((error: unknown) =>
      announce(`You are still signed in. ${asProblem(error).detail}`, { tone: "bad" }),
    );
  return (
    <Menu {...SIDEBAR_MENU} position="top-start">
      <Menu.Target>
        <button type="button" className={classes.trigger}>
          <PersonIcon />
          <VisuallyHidden>Account of</VisuallyHidden>
          <span className={classes.label} title={name}>
            {name}
          </span>
          <SelectorIcon size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<PersonIcon size={14} />} onClick={() => navigate("/account")}>
          Account
        </Menu.Item>
        <Menu.Divider />
        <ColourSchemeItems />
        <Menu.Divider />
        <Menu.Item leftSection={<SignOutIcon size={14} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
