import { KINDS, type Kind, type KindTokens } from '@/api/gen/api.ts';

/** The kinds that have tokens, in the order of the legend. */
export function presentKinds(byKind: readonly KindTokens[]): readonly KindTokens[] {
  return KINDS.flatMap((kind) => {
    const tokens = byKind
      .filter((entry) => entry.kind === kind)
      .reduce((sum, entry) => sum + entry.tokens, 0);
    return tokens > 0 ? [{ kind, tokens }] : [];
  });
}

/** The colour of a kind as a CSS value. */
export function kindColor(kind: Kind): string {
  return `var(--kind-${kind})`;
}
