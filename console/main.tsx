import "./styles/mantine.ts";
import "./styles/global.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createApiClient } from "./api/client.ts";
import { createQueryClient } from "./api/query-client.ts";
import { createSessionGate } from "./api/session-gate.ts";
import { App } from "./app.tsx";
import { takeTokenFromAddress } from "./navigation/address-token.ts";
import { beginOverview } from "./pages/member-pages.tsx";
import { createOrganizationChoice } from "./session/organization-choice.ts";
import { createColourSchemeManager } from "./styles/colour-scheme.ts";
import { allowStyles } from "./styles/nonce.ts";

/** Puts the Console together and on the page. The one-time token of a link leaves the address before anything else. */
function start(root: HTMLElement): void {
  const arrivalToken = takeTokenFromAddress();
  if (location.pathname === "/console/") beginOverview();
  const nonce = allowStyles();
  const organization = createOrganizationChoice();
  const gate = createSessionGate();
  const api = createApiClient({ organization: organization.current, signInAgain: gate.wait });
  createRoot(root).render(
    <StrictMode>
      <App
        connection={{ api, gate, organization }}
        queries={createQueryClient()}
        colourScheme={createColourSchemeManager()}
        nonce={nonce}
        arrivalToken={arrivalToken}
      />
    </StrictMode>,
  );
}

start(document.getElementById("root") as HTMLElement);
