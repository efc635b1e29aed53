import type { PartSpan, PartText } from '@/api/gen/api.ts';

/** A run of tokens that came from one source. */
export interface TokenRun {
  readonly source: string;
  readonly address: string | null;
  /** Index of the first token in the page, so that shading alternates across runs. */
  readonly first: number;
  readonly tokens: readonly string[];
}

/** Cuts a page of text into tokens, grouped by where they came from. */
export function cutTokens(page: PartText, spans: readonly PartSpan[]): readonly TokenRun[] {
  const ends = page.tokenEnds.length > 0 ? page.tokenEnds : [page.text.length];
  const last = ends.at(-1) ?? 0;
  const all = last < page.text.length ? [...ends, page.text.length] : ends;
  const runs: { span: PartSpan | undefined; first: number; tokens: string[] }[] = [];
  let from = 0;
  all.forEach((end, index) => {
    const at = page.offset + from;
    const span = spans.find((candidate) => at >= candidate.from && at < candidate.to);
    const text = page.text.slice(from, end);
    from = end;
    const run = runs.at(-1);
    if (run !== undefined && run.span === span) run.tokens.push(text);
    else runs.push({ span, first: index, tokens: [text] });
  });
  return runs.map(({ span, first, tokens }) => ({
    source: span?.source ?? '',
    address: span?.address ?? null,
    first,
    tokens,
  }));
}
