import type { DropListener, ImportSource } from './host.ts';

/** Files dropped on a page in a browser, where they have no path and are handed over by content. */
export function listenForDrops(
  listener: DropListener,
  upload: (file: File) => Promise<ImportSource>,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
  // Children of the window enter and leave too; the person left when all of them did.
  let depth = 0;
  const on = (
    type: 'dragenter' | 'dragover' | 'dragleave' | 'drop',
    act: (event: DragEvent) => void,
  ): void => {
    window.addEventListener(
      type,
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        act(event);
      },
      { signal },
    );
  };
  on('dragover', () => undefined);
  on('dragenter', () => {
    depth += 1;
    if (depth === 1) listener.onEnter();
  });
  on('dragleave', () => {
    depth -= 1;
    if (depth === 0) listener.onLeave();
  });
  on('drop', (event) => {
    depth = 0;
    const files = [...(event.dataTransfer?.files ?? [])];
    listener.onDrop(Promise.all(files.map(upload)));
  });
  return () => stop.abort();
}
