/** Types that every browser draws and none runs scripts from. */
const DRAWABLE = /^image\/(?:png|jpeg|gif|webp)$/;

/** Whether a part with this label ("image/png, 312 KB") may be drawn. */
export function isDrawable(label: string): boolean {
  return DRAWABLE.test(label.split(',', 1)[0] ?? '');
}

/** The picture in a part's JSON as an address; nothing when it holds none that can be drawn. */
export function imageSource(json: string): string | undefined {
  const data = /"data":\s*"([\w+/=-]+)"/.exec(json)?.[1];
  const mime = /"mimeType":\s*"([\w/+.-]+)"/.exec(json)?.[1];
  if (data === undefined || mime === undefined || !DRAWABLE.test(mime)) return undefined;
  return `data:${mime};base64,${data.replaceAll('-', '+').replaceAll('_', '/')}`;
}
