/** How a sign looks: a letter in a colour, or a piece of a bar. */
type SignLook =
  | { readonly glyph: string; readonly tone: 'break' | 'summary' | 'low' | 'text' }
  | { readonly bar: 'full' | 'cached' | 'hollow' | 'hatched' | 'hidden' };

/** A sign of the window and what it means. */
type Sign = SignLook & { readonly words: string };

export interface SignGroup {
  readonly title: string;
  readonly signs: readonly Sign[];
}

/** What the marks at calls mean, in the strip, the map, the ladder and lists. */
export const CALL_SIGNS: SignGroup = {
  title: 'At calls',
  signs: [
    { glyph: '◆', tone: 'break', words: 'cache loss that a change of the app would prevent' },
    {
      glyph: '◇',
      tone: 'break',
      words: 'cache loss that follows from what the session does: a hand-off, a summary',
    },
    {
      glyph: '○',
      tone: 'low',
      words: 'cache loss by a rule of the provider: the prompt is too short, or too much time went by',
    },
    { glyph: '▼', tone: 'summary', words: 'first call after a compaction' },
    { glyph: '▬', tone: 'break', words: 'a step of this call failed' },
    { glyph: '◂', tone: 'break', words: 'in a column of the map: here the prefix ended' },
    { glyph: '━', tone: 'text', words: 'under the bars: calls that carried what is selected' },
  ],
};

/** What bars and columns are filled with. */
export const BAR_SIGNS: SignGroup = {
  title: 'Bars',
  signs: [
    { bar: 'full', words: 'strong: billed in full' },
    { bar: 'cached', words: 'faint: cached, as the provider reported' },
    { bar: 'hollow', words: 'hollow: cached by our prediction; the provider reported nothing' },
    { bar: 'hatched', words: 'hatch in a colour: another agent’s words, told to this one' },
    { bar: 'hidden', words: 'hatch in grey: hidden context, counted by the provider and not recorded' },
  ],
};

const TEXT_SIGNS: SignGroup = {
  title: 'Lists and numbers',
  signs: [
    { glyph: '+', tone: 'text', words: 'added by this stage, or since the prompt that is compared' },
    { glyph: '−', tone: 'text', words: 'left out' },
    { glyph: '~', tone: 'text', words: 'rewritten' },
    {
      glyph: '≈',
      tone: 'text',
      words: 'an estimate; “about” is a calibrated count; nothing in front is exact or reported',
    },
    { glyph: '≠', tone: 'text', words: 'the provider’s report differs from our prediction' },
  ],
};

const LAB_SIGNS: SignGroup = {
  title: 'In a sweep',
  signs: [
    { glyph: '★', tone: 'text', words: 'recommended' },
    { glyph: '☆', tone: 'text', words: 'no other setting is better in both cost and peak' },
    { glyph: '!', tone: 'text', words: 'has a flag; the table says which' },
    { glyph: '✓', tone: 'text', words: 'was run: its summaries are written' },
  ],
};

export const SIGN_GROUPS: readonly SignGroup[] = [CALL_SIGNS, BAR_SIGNS, TEXT_SIGNS, LAB_SIGNS];
