import { startSearch } from "./search.ts";

const root = document.documentElement.dataset.root ?? "";

startMenu();
startScheme();
startSearch(root);
if (document.body.hasAttribute("data-diagrams")) void drawDiagrams();

/** On narrow windows the menu opens below its button. */
function startMenu(): void {
  const button = byId<HTMLButtonElement>("menu-button");
  const menu = document.getElementById("menu");
  if (menu === null) {
    button.hidden = true;
    return;
  }
  button.addEventListener("click", () => {
    const isOpen = menu.classList.toggle("open");
    button.setAttribute("aria-expanded", String(isOpen));
  });
  // Where the menu is always there, its own page should be in sight.
  const current = menu.querySelector<HTMLElement>("[aria-current]");
  if (current !== null && menu.scrollHeight > menu.clientHeight)
    menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
}

function startScheme(): void {
  const button = byId<HTMLButtonElement>("scheme-button");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    const scheme = isDark() ? "light" : "dark";
    document.documentElement.dataset.scheme = scheme;
    try {
      localStorage.setItem("scheme", scheme);
    } catch {
      // Then it holds for this page.
    }
    show();
    document.dispatchEvent(new Event("schemechange"));
  });
  system.addEventListener("change", () => {
    show();
    document.dispatchEvent(new Event("schemechange"));
  });
  show();
}

function isDark(): boolean {
  return getComputedStyle(document.documentElement).colorScheme.trim() === "dark" || isDarkBySystem();
}

function isDarkBySystem(): boolean {
  return document.documentElement.dataset.scheme === undefined && matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Some 700 KiB: only pages with a diagram load it. */
async function drawDiagrams(): Promise<void> {
  const { startDiagrams } = (await import("./diagrams.js" as string)) as typeof import("./diagrams.ts");
  await startDiagrams(`${root}assets/mermaid.js`, isDark);
}

function byId<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}
