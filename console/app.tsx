import { type MantineColorSchemeManager, MantineProvider } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { Router } from "wouter";
import { type Connection, ConnectionContext } from "./api/context.ts";
import { ArrivalTokenContext } from "./navigation/arrival-token.ts";
import { NavigationWatch } from "./navigation/navigation-watch.tsx";
import { Pages } from "./pages/pages.tsx";
import { Announcer } from "./parts/announcer.tsx";
import { ErrorBoundary } from "./shell/error-boundary.tsx";
import { createConsoleTheme, resolveVariables } from "./styles/theme.ts";

export interface AppProps {
  readonly connection: Connection;
  readonly queries: QueryClient;
  readonly colourScheme: MantineColorSchemeManager;
  readonly nonce: string;
  readonly arrivalToken: string | undefined;
}

export function App({ connection, queries, colourScheme, nonce, arrivalToken }: AppProps) {
  const token = useRef(arrivalToken);
  const theme = useMemo(createConsoleTheme, []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      colorSchemeManager={colourScheme}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <ConnectionContext value={connection}>
          <ArrivalTokenContext value={token}>
            <Announcer>
              <Router base="/console">
                <NavigationWatch>
                  <ErrorBoundary>
                    <Pages />
                  </ErrorBoundary>
                </NavigationWatch>
              </Router>
            </Announcer>
          </ArrivalTokenContext>
        </ConnectionContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}
