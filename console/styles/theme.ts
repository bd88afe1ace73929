import { type CSSVariablesResolver, createTheme, type MantineThemeOverride } from "@mantine/core";
import { AMBER, DARK, GRAY, GREEN, INK, RED } from "./colours.ts";
import { COMPONENTS } from "./components.ts";

const SYSTEM =
  '-apple-system, BlinkMacSystemFont, "Segoe UI Variable Text", "Segoe UI", Roboto, "Helvetica Neue", Arial';
const HEADING = { fontWeight: "600" } as const;

/** Small type, narrow spaces, thin lines: made for people who look at lists all day. */
export function createConsoleTheme(): MantineThemeOverride {
  return createTheme({
    primaryColor: "ink",
    primaryShade: { light: 6, dark: 5 },
    colors: { ink: INK, red: RED, green: GREEN, yellow: AMBER, gray: GRAY, dark: DARK },
    black: "#15181d",
    fontFamily: `${SYSTEM}, sans-serif`,
    fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "SF Mono", Menlo, "Cascadia Mono", Consolas, monospace',
    fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
    lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.5" },
    spacing: { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.5rem", xl: "2rem" },
    radius: { xs: "3px", sm: "6px", md: "8px", lg: "12px", xl: "16px" },
    defaultRadius: "sm",
    headings: {
      fontWeight: "600",
      sizes: {
        h1: { fontSize: "1.375rem", lineHeight: "1.3", ...HEADING },
        h2: { fontSize: "0.9375rem", lineHeight: "1.4", ...HEADING },
        h3: { fontSize: "0.875rem", lineHeight: "1.4", ...HEADING },
      },
    },
    cursorType: "pointer",
    respectReducedMotion: true,
    components: COMPONENTS,
  });
}

/** Where Mantine's own colours would not reach a contrast of 4.5, ours. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5a6270",
    "--mantine-color-placeholder": "#6a7280",
    "--mantine-color-error": "var(--mantine-color-red-7)",
    "--mantine-color-anchor": "var(--mantine-color-ink-7)",
    "--mantine-color-default-border": "#d3d8e0",
    ...readableOnTint(8),
  },
  dark: {
    "--mantine-color-body": "#101317",
    "--mantine-color-text": "#e3e6ea",
    "--mantine-color-dimmed": "#9aa2af",
    "--mantine-color-placeholder": "#8b93a0",
    "--mantine-color-error": "var(--mantine-color-red-3)",
    "--mantine-color-anchor": "var(--mantine-color-ink-3)",
    "--mantine-color-default": "#1a1e24",
    "--mantine-color-default-hover": "#20252c",
    "--mantine-color-default-border": "#343a44",
    ...readableOnTint(2),
  },
});

/** Text of the variants `light`, `subtle` and `outline`. */
function readableOnTint(shade: number): Record<string, string> {
  const names = ["ink", "red", "green", "yellow", "gray"];
  return Object.fromEntries(
    names.flatMap((name) => [
      [`--mantine-color-${name}-light-color`, `var(--mantine-color-${name}-${shade})`],
      [`--mantine-color-${name}-outline`, `var(--mantine-color-${name}-${shade})`],
      [`--mantine-color-${name}-text`, `var(--mantine-color-${name}-${shade})`],
    ]),
  );
}
