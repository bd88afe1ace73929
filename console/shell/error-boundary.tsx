import { Button } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { Note } from "../parts/note.tsx";
import classes from "./error-boundary.module.css";

interface State {
  readonly error?: unknown;
}

/** Stands in for a page whose program failed, and says what to do. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <PageFailed error={this.state.error} onRetry={() => this.setState({ error: undefined })} />;
  }
}

function PageFailed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const isOutdated = error instanceof TypeError && /dynamically imported module|module script/i.test(error.message);
  return (
    <div className={classes.failed}>
      <h1 className={classes.title}>{isOutdated ? "The Console has changed" : "This page failed"}</h1>
      <Note
        tone="bad"
        isAlert
        actions={
          <>
            <Button size="xs" onClick={() => location.reload()}>
              Load the page again
            </Button>
            {!isOutdated && (
              <Button size="xs" variant="default" onClick={onRetry}>
                Try without loading
              </Button>
            )}
          </>
        }
      >
        {isOutdated ? (
          <p>A newer version was installed, or the connection failed. Load the page again to continue.</p>
        ) : (
          <>
            <p>This changed nothing. If it happens again, tell the person who runs this instance:</p>
            <p>
              <code>{error instanceof Error ? error.message : String(error)}</code>
            </p>
          </>
        )}
      </Note>
    </div>
  );
}
