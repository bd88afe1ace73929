// Runs before anything is drawn, so that a page in dark colours never flashes white. `styles/colour-scheme.ts` writes the key.
(() => {
  let chosen = "auto";
  try {
    chosen = localStorage.getItem("countersign-colour-scheme") ?? "auto";
  } catch {
    // Without storage the system's scheme holds.
  }
  const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
