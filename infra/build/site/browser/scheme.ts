// The colours that a reader chose stay on every page. Runs before the page is painted.
try {
  const scheme = localStorage.getItem("scheme");
  if (scheme === "dark" || scheme === "light") document.documentElement.dataset.scheme = scheme;
} catch {
  // A browser without storage uses the colours of the system.
}
