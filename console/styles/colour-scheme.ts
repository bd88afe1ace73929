import { isMantineColorScheme, type MantineColorSchemeManager } from "@mantine/core";

const KEY = "countersign-colour-scheme";

/** Keeps the chosen colour scheme in the browser; `public/colour-scheme.js` reads it before the first paint. */
export function createColourSchemeManager(): MantineColorSchemeManager {
  let stop: (() => void) | undefined;
  return {
    get: (fallback) => read() ?? fallback,
    set: (value) => attempt(() => localStorage.setItem(KEY, value)),
    subscribe: (onUpdate) => {
      const listener = (event: StorageEvent) => {
        if (event.key === KEY) onUpdate(read() ?? "auto");
      };
      window.addEventListener("storage", listener);
      stop = () => window.removeEventListener("storage", listener);
    },
    unsubscribe: () => stop?.(),
    clear: () => attempt(() => localStorage.removeItem(KEY)),
  };
}

function read() {
  const value = attempt(() => localStorage.getItem(KEY));
  return isMantineColorScheme(value) ? value : undefined;
}

/** Browsers may refuse storage altogether; then nothing is remembered. */
function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
