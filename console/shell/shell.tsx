import { ActionIcon } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { MenuIcon, SearchIcon } from "../icons.tsx";
import { SkeletonLines } from "../parts/data-state.tsx";
import { Brand } from "./brand.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { OnceNeeded } from "./loaded-later.tsx";
import classes from "./shell.module.css";
import { Sidebar } from "./sidebar.tsx";

const NavigationDrawer = lazy(async () => ({
  default: (await import("./navigation-drawer.tsx")).NavigationDrawer,
}));
const SearchDialog = lazy(async () => ({ default: (await import("./search/search-dialog.tsx")).SearchDialog }));

/** What stays around all pages: the sidebar, which is behind a button where it is narrow, and the place for the page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [page] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const openSearch = () => {
    setOpen(false);
    setSearching(true);
  };
  useHotkeys([["mod+K", openSearch]], []);
  useEffect(() => {
    if (page !== "") setOpen(false);
  }, [page]);
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        Skip to the page
      </a>
      <section className={classes.bar} aria-label="Navigation and account">
        <ActionIcon size="lg" aria-label="Open the navigation" aria-expanded={isOpen} onClick={() => setOpen(true)}>
          <MenuIcon size={18} />
        </ActionIcon>
        <Brand />
        <ActionIcon size="lg" className={classes.search} aria-label="Search the Console" onClick={openSearch}>
          <SearchIcon size={18} />
        </ActionIcon>
      </section>
      <section className={classes.sidebar} aria-label="Navigation and account">
        <Sidebar onSearch={openSearch} />
      </section>
      <OnceNeeded isNeeded={isOpen}>
        <NavigationDrawer opened={isOpen} onClose={() => setOpen(false)} onSearch={openSearch} />
      </OnceNeeded>
      <OnceNeeded isNeeded={isSearching}>
        <SearchDialog opened={isSearching} onClose={() => setSearching(false)} />
      </OnceNeeded>
      <main id="content" tabIndex={-1} className={classes.main}>
        <ErrorBoundary key={page}>
          <Suspense fallback={<PageLoading />}>{children}</Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

function PageLoading() {
  return (
    <div className={classes.loading}>
      <SkeletonLines lines={6} />
    </div>
  );
}
