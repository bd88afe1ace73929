import { Menu } from "@mantine/core";
import { ExternalIcon, RegionIcon, SelectorIcon } from "../icons.tsx";
import { useSession } from "../session/context.ts";
import classes from "./sidebar.module.css";
import { SIDEBAR_MENU } from "./sidebar-menu.ts";

/** Which region's instance this is, with the way to the others'. Regions share nothing: one signs in to each. */
export function RegionMenu() {
  const { instance } = useSession();
  if (instance?.region === undefined) return null;
  const others = instance.regions.filter(({ region }) => region !== instance.region);
  const words = (
    <>
      <RegionIcon />
      <span className={classes.label}>Region</span>
      <span className={classes.code}>{instance.region}</span>
    </>
  );
  if (others.length === 0) return <div className={classes.trigger}>{words}</div>;
  return (
    <Menu {...SIDEBAR_MENU} position="top-start">
      <Menu.Target>
        <button type="button" className={classes.trigger}>
          {words}
          <SelectorIcon size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Other regions have their own data</Menu.Label>
        {others.map(({ region, url }) => (
          <Menu.Item key={region} component="a" href={url} rightSection={<ExternalIcon size={14} />}>
            Console of {region.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
