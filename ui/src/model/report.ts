import type { ReportForm } from '@/api/gen/api.ts';

export const REPORT_FORMS: readonly { readonly value: ReportForm; readonly label: string }[] = [
  { value: 'html', label: 'Page' },
  { value: 'strip-svg', label: 'Picture of the prompts' },
  { value: 'map-svg', label: 'Picture of the map' },
];

export function isPicture(form: ReportForm): boolean {
  return form !== 'html';
}

/** A picture as an image shows it, which runs nothing and loads nothing. */
export function pictureAddress(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

/** Pixels for each unit of a picture: sharp on a screen of twice the density, and on a slide. */
const DENSITY = 2;

/** A picture as pixels, for what shows no SVG. */
export async function drawn(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = pictureAddress(svg);
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * DENSITY;
  canvas.height = image.naturalHeight * DENSITY;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The picture is too large to be drawn. Save it as SVG.'));
      else resolve(blob);
    }, 'image/png');
  });
}

/** A part of a page: its heading, with what stands right below. */
export interface ReportPart {
  readonly heading: string;
  readonly tables: number;
  readonly pictures: number;
}

/** What a page holds, heading by heading. */
export function partsOf(page: string): readonly ReportPart[] {
  const sections = new DOMParser().parseFromString(page, 'text/html').querySelectorAll('section');
  return [...sections].map((section) => ({
    heading: section.querySelector('h2')?.textContent ?? '',
    tables: section.querySelectorAll('table').length,
    pictures: section.querySelectorAll('svg').length,
  }));
}
