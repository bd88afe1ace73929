/**
 * Takes the token of a one-time link (`#token=…`) out of the address, so that it is in no history entry, no copied link
 * and no screenshot. A link that is opened in a tab of the Console loads the page anew, and so arrives here as well.
 */
export function takeTokenFromAddress(): string | undefined {
  window.addEventListener("hashchange", () => {
    if (tokenOf(location.hash) !== undefined) location.reload();
  });
  const token = tokenOf(location.hash);
  if (token !== undefined) history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}

function tokenOf(hash: string): string | undefined {
  return new URLSearchParams(hash.slice(1)).get("token") || undefined;
}
