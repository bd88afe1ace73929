import { Button } from "@mantine/core";
import { useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { DownloadIcon } from "../../icons.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Note } from "../../parts/note.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { AbandonKey } from "./abandon-key.tsx";
import classes from "./add-key-pair.module.css";
import { keyFileName } from "./key-file-name.ts";
import type { GeneratedKeyPair } from "./use-generated-key-pair.ts";
import { useLeaveGuard } from "./use-leave-guard.ts";

export interface PrivateKeyProps {
  readonly client: ApiClient;
  readonly pair: GeneratedKeyPair;
  readonly onClose: () => void;
}

/** A pair that was just generated. Its private key is never shown: it goes into a file, now or never. */
export function PrivateKey({ client, pair, onClose }: PrivateKeyProps) {
  const [isDownloaded, setDownloaded] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const [file] = useState(() => keyFileName(client.name, pair.fingerprint));
  useLeaveGuard(!isDownloaded, () => setLeaving(true));
  const download = () => {
    saveFile(file, new Blob([pair.privateKey], { type: "application/x-pem-file" }));
    setDownloaded(true);
  };
  if (isLeaving && !isDownloaded) {
    return <AbandonKey clientId={client.clientId} pair={pair} onBack={() => setLeaving(false)} onClose={onClose} />;
  }
  return (
    <div className={classes.content}>
      <Note
        tone={isDownloaded ? "good" : "warn"}
        isAlert
        title={isDownloaded ? "Download started" : "Download the private key now"}
      >
        {isDownloaded
          ? "Check that you have the file before you close this. Nobody can get the key again."
          : "It exists only here, until this dialog closes. Countersign does not keep it."}
      </Note>
      <div>
        <p className={classes.label}>Fingerprint</p>
        <CodeBlock label="Fingerprint" code={pair.fingerprint} isWrapped />
      </div>
      <div>
        <p className={classes.label}>File</p>
        <p className={classes.file}>
          <code>{file}</code>
        </p>
        <p className={classes.hint}>
          Keep it where the client alone can read it, with <code>chmod 600</code> for example, and out of repositories.
        </p>
      </div>
      <div className={classes.actions}>
        {isDownloaded ? (
          <>
            <Button variant="default" leftSection={<DownloadIcon size={14} />} onClick={download}>
              Download again
            </Button>
            <Button onClick={onClose} data-autofocus>
              Done
            </Button>
          </>
        ) : (
          <>
            <Button variant="default" onClick={() => setLeaving(true)}>
              Close without it
            </Button>
            <Button leftSection={<DownloadIcon size={14} />} onClick={download} autoFocus>
              Download private key
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
