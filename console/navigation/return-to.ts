const BASE = "/console";

/**
 * Where to go after signing in, below `/console`: what `next` says if that is a page of the Console, else the overview.
 * Anything else in it would let a link lead somewhere foreign.
 */
export function nextPage(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  if (!next.startsWith("/") || next.startsWith("//") || next.includes("\\")) return "/";
  const url = new URL(next, location.origin);
  const isPage = url.origin === location.origin && !SIGN_IN.includes(url.pathname);
  return isPage ? url.pathname + url.search : "/";
}

/** The address of the page to sign in, which leads back here. */
export function signInAddress(page: string): string {
  return page === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(page)}`;
}

/** A page below `/console` as a path of the origin, as the API wants it. */
export function pathOfPage(page: string): string {
  return `${BASE}${page}`;
}

const SIGN_IN = ["/sign-in", "/setup", "/invitation"];
