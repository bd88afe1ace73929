import type { Operation } from "./operation.ts";

export const CONNECTOR_CALLBACK = "/api/v1/sign-in/oidc/callback";

export const SIGN_IN_OPERATIONS = [
  {
    operationId: "showSignInWays",
    method: "get",
    path: "/api/v1/sign-in",
    access: { role: "public" },
  },
  {
    operationId: "setUp",
    method: "post",
    path: "/api/v1/setup",
    access: { role: "public" },
  },
  {
    operationId: "signInByLink",
    method: "post",
    path: "/api/v1/sign-in/link",
    access: { role: "public" },
  },
  {
    operationId: "beginPasskeySignIn",
    method: "post",
    path: "/api/v1/sign-in/passkey/options",
    access: { role: "public" },
  },
  {
    operationId: "signInByPasskey",
    method: "post",
    path: "/api/v1/sign-in/passkey/verify",
    access: { role: "public" },
  },
  {
    operationId: "beginConnectorSignIn",
    method: "post",
    path: "/api/v1/sign-in/oidc/{connector}",
    access: { role: "public" },
  },
  {
    operationId: "finishConnectorSignIn",
    method: "get",
    path: CONNECTOR_CALLBACK,
    access: { role: "public" },
  },
  {
    operationId: "signOut",
    method: "post",
    path: "/api/v1/sign-out",
    access: { role: "public" },
  },
  {
    operationId: "showMe",
    method: "get",
    path: "/api/v1/me",
    access: { role: "person" },
  },
] as const satisfies readonly Operation[];
