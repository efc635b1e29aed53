import type { BytesCommand, JsonCommand, Params, Result } from '@/api/client.ts';
import type { Notification } from '@/api/gen/api.ts';

/** A file to read: on this computer by path, or handed to the host and known by an id. */
export type ImportSource =
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'upload'; readonly upload: string; readonly name: string };

export interface DropListener {
  /** Something that can be dropped is over the window. */
  readonly onEnter: () => void;
  readonly onLeave: () => void;
  /** Dropped. The sources may take a moment when they are uploaded first. */
  readonly onDrop: (sources: Promise<readonly ImportSource[]>) => void;
}

/**
 * Everything the window can ask of what runs it. A rejected promise carries a `CommandFailure`. Nothing outside `host/`
 * reads the network, the file system or the desktop.
 */
export interface Host {
  invoke<N extends JsonCommand>(name: N, params: Params<N>): Promise<Result<N>>;
  invokeBytes<N extends BytesCommand>(name: N, params: Params<N>): Promise<ArrayBuffer>;

  /** Calls back for every notification until the returned function is called. */
  listen(onNotification: (notification: Notification) => void): () => void;

  /** Lets a person choose files; none when they change their mind. */
  pickFiles(): Promise<readonly ImportSource[]>;

  /** The same for folders. Browsers do not tell where one is. */
  readonly pickFolders: (() => Promise<readonly ImportSource[]>) | undefined;

  /** Lets a person save a text as a file. Where it went; none when they change their mind. */
  saveText(name: string, text: string): Promise<string | undefined>;

  /** The same for an image. */
  saveImage(name: string, image: Blob): Promise<string | undefined>;

  onDrop(listener: DropListener): () => void;

  /** Whether files are known by their path, so that a configuration file can be named. */
  readonly hasPaths: boolean;

  /** Sets the size of the whole interface. Browsers have their own way. */
  readonly setZoom: ((percent: number) => Promise<void>) | undefined;
}
