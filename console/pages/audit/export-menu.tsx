import { Button, Menu } from "@mantine/core";
import { useState } from "react";
import { useConnection } from "../../api/context.ts";
import { asProblem } from "../../api/problem.ts";
import type { Query } from "../../api/request.ts";
import { DownloadIcon } from "../../icons.tsx";
import { useAnnounce } from "../../parts/announcer.tsx";
import { saveFile } from "../../parts/save-file.ts";

const FORMATS = [
  { accept: "application/jsonl", label: "JSON Lines", extension: "jsonl" },
  { accept: "text/csv", label: "CSV", extension: "csv" },
] as const;

type Format = (typeof FORMATS)[number];

/** Everything that the filters match, as a file. */
export function ExportMenu({ query }: { readonly query: Query }) {
  const { isExporting, exportAs } = useExport(query);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<DownloadIcon size={14} />} loading={isExporting}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map((format) => (
          <Menu.Item key={format.accept} onClick={() => void exportAs(format)}>
            {format.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function useExport(query: Query) {
  const { api } = useConnection();
  const announce = useAnnounce();
  const [isExporting, setExporting] = useState(false);
  const exportAs = async ({ accept, extension }: Format) => {
    setExporting(true);
    try {
      saveFile(`audit-events.${extension}`, await api.download({ path: "/audit-events", query, accept }));
      announce("The records were exported");
    } catch (error) {
      announce(`The records were not exported: ${asProblem(error).detail}`, { tone: "bad" });
    } finally {
      setExporting(false);
    }
  };
  return { isExporting, exportAs };
}
