import { ActionIcon, Drawer } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { MenuIcon, SearchIcon } from "../icons.tsx";
import { SkeletonLines } from "../parts/data-state.tsx";
import { Brand } from "./brand.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import classes from "./shell.module.css";
import { Sidebar } from "./sidebar.tsx";

const SearchDialog = lazy(async () => ({ default: (await import("./search/search-dialog.tsx")).SearchDialog }));

/** What stays around all pages: the sidebar, which is behind a button where it is narrow, and the place for the page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [page] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [search, setSearch] = useState({ isOpen: false, wasOpen: false });
  const openSearch = () => {
    setOpen(false);
    setSearch({ isOpen: true, wasOpen: true });
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
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={<Brand />}
        size="17rem"
        padding="md"
        classNames={{ body: classes.drawer }}
      >
        <Sidebar isInDrawer onSearch={openSearch} />
      </Drawer>
      {search.wasOpen && (
        <ErrorBoundary>
          <Suspense fallback={null}>
            <SearchDialog opened={search.isOpen} onClose={() => setSearch({ isOpen: false, wasOpen: true })} />
          </Suspense>
        </ErrorBoundary>
      )}
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
