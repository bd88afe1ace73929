/** The part of Mermaid that pages use. */
interface Mermaid {
  initialize(options: Readonly<Record<string, unknown>>): void;
  render(id: string, text: string): Promise<{ readonly svg: string }>;
}

const LIGHT = {
  dropShadow: "none",
  background: "#ffffff",
  primaryColor: "#eef0fd",
  primaryTextColor: "#15181d",
  primaryBorderColor: "#8790d8",
  lineColor: "#555d6b",
  textColor: "#15181d",
  clusterBkg: "#f6f7f9",
  clusterBorder: "#c6ccd6",
  noteBkgColor: "#fdf3dc",
  noteTextColor: "#15181d",
  noteBorderColor: "#c9a85c",
  edgeLabelBackground: "#ffffff",
};

const DARK = {
  dropShadow: "none",
  darkMode: true,
  background: "#0f1216",
  primaryColor: "#1f2340",
  primaryTextColor: "#e3e6ea",
  primaryBorderColor: "#6b75d6",
  lineColor: "#a2aab6",
  textColor: "#e3e6ea",
  clusterBkg: "#161a20",
  clusterBorder: "#3a414c",
  noteBkgColor: "#3a2f12",
  noteTextColor: "#f3e6c4",
  noteBorderColor: "#8a7338",
  edgeLabelBackground: "#0f1216",
};

/** Draws the diagrams of the page, and again when its colours change. Their texts stay where one cannot be drawn. */
export async function startDiagrams(address: string, isDark: () => boolean): Promise<void> {
  const figures = [...document.querySelectorAll<HTMLElement>("figure.diagram")];
  const texts = figures.map(({ textContent }) => textContent ?? "");
  const mermaid = await load(address);
  const draw = async () => {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      theme: "base",
      themeVariables: isDark() ? DARK : LIGHT,
      fontFamily: "inherit",
      // Narrow, so that letters stay about as large as the text around them.
      flowchart: { wrappingWidth: 260 },
      sequence: { width: 130, actorMargin: 16, mirrorActors: false },
    });
    for (const [index, figure] of figures.entries()) {
      const { svg } = await mermaid.render(`diagram-${index}`, texts[index] ?? "");
      figure.innerHTML = svg;
      // Its own width, down to which it may be made smaller on a narrow window only as far as it can be read.
      figure.style.setProperty("--natural", figure.querySelector("svg")?.style.maxWidth ?? "100%");
      // What is wider than the window scrolls, and keyboards reach it.
      figure.tabIndex = 0;
      figure.setAttribute("data-drawn", isDark() ? "dark" : "light");
    }
  };
  await draw();
  document.addEventListener("schemechange", () => void draw());
}

function load(address: string): Promise<Mermaid> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("load", () => resolve((globalThis as unknown as { readonly mermaid: Mermaid }).mermaid));
    script.addEventListener("error", () => reject(new Error(`${address} cannot be loaded.`)));
    document.head.append(script);
  });
}
