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
