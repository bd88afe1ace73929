/**
 * Providers answer some scopes under other names than they were asked for, and a person who is asked for them again and again can do
 * nothing about it. Those of OpenID Connect are left out (Google) or left unsaid (`offline_access`), a broader one stands for those
 * below it (GitHub: `repo` for `repo:status`), and a resource stands in front or not (Microsoft).
 */
export function isGranted(scope: string, granted: readonly string[]): boolean {
  if (UNSAID.has(scope)) return true;
  return granted.some(
    (one) => one === scope || scope.startsWith(`${one}:`) || one.endsWith(`/${scope}`) || scope.endsWith(`/${one}`),
  );
}

const UNSAID: ReadonlySet<string> = new Set(["openid", "profile", "email", "offline_access"]);
