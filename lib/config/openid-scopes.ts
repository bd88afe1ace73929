/** Scopes of OpenID Connect Core §5.4 and §11 that mean something here; clients may ask for them unless told otherwise. */
export const OPENID_SCOPES: readonly string[] = ["openid", "profile", "email", "offline_access"];
