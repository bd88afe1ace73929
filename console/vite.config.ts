import react from "@vitejs/plugin-react";
import { defineConfig, type ProxyOptions } from "vite";

const SERVER = "http://localhost:8080";

/** The API of a server on this machine. Its CSRF check wants its own origin, which the browser does not send from here. */
const api: ProxyOptions = { target: SERVER, changeOrigin: true, headers: { Origin: SERVER } };

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  worker: { format: "es" },
  server: { host: "localhost", port: 5173, strictPort: true, proxy: { "/api": api } },
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    manifest: "manifest.json",
    // The policy allows no data: scripts, styles or fonts; what is a file stays one.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ["chrome120", "firefox121", "safari17"],
    chunkSizeWarningLimit: 1000,
  },
});
