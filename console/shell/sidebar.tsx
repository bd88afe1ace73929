import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { NavigationLinks } from "./navigation-links.tsx";
import { OrganizationMenu } from "./organization-menu.tsx";
import { RegionMenu } from "./region-menu.tsx";
import { SearchButton } from "./search-button.tsx";
import classes from "./sidebar.module.css";

export interface SidebarProps {
  readonly isInDrawer?: boolean;
  readonly onSearch: () => void;
}

/** Organization, search, pages, region and account. In the drawer of narrow screens, the brand is its title. */
export function Sidebar({ isInDrawer = false, onSearch }: SidebarProps) {
  return (
    <div className={classes.sidebar}>
      {!isInDrawer && (
        <div className={classes.brand}>
          <Brand />
        </div>
      )}
      <div className={classes.top}>
        <OrganizationMenu />
        <SearchButton onClick={onSearch} />
      </div>
      <NavigationLinks />
      <div className={classes.bottom}>
        <RegionMenu />
        <AccountMenu />
      </div>
    </div>
  );
}
