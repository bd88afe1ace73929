import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { NavigationLinks } from "./navigation-links.tsx";
import { OrganizationMenu } from "./organization-menu.tsx";
import { RegionMenu } from "./region-menu.tsx";
import classes from "./sidebar.module.css";

/** Organization, pages, region and account. In the drawer of narrow screens, the brand is its title. */
export function Sidebar({ isInDrawer = false }: { readonly isInDrawer?: boolean }) {
  return (
    <div className={classes.sidebar}>
      {!isInDrawer && (
        <div className={classes.brand}>
          <Brand />
        </div>
      )}
      <div className={classes.top}>
        <OrganizationMenu />
      </div>
      <NavigationLinks />
      <div className={classes.bottom}>
        <RegionMenu />
        <AccountMenu />
      </div>
    </div>
  );
}
