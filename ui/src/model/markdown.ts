import { lexer, type MarkedToken, type Token } from 'marked';

/** A piece of a line. */
export type Inline =
  | { readonly type: 'text' | 'code'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis'; readonly inside: readonly Inline[] }
  | { readonly type: 'break' };

type Line = readonly Inline[];

/** A piece of a text. */
export type Block =
  | { readonly type: 'paragraph'; readonly line: Line }
  | { readonly type: 'heading'; readonly line: Line }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly type: 'list';
      readonly isOrdered: boolean;
      readonly start: number;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly type: 'table'; readonly header: readonly Line[]; readonly rows: readonly (readonly Line[])[] };

/** Reads Markdown. HTML in it is text, and so is where a link leads: nothing outside is ever fetched. */
export function parseMarkdown(text: string): readonly Block[] {
  return blocksOf(lexer(text));
}

/** Reads Markdown of which only the first paragraph matters, such as a sentence with code in it. */
export function parseLine(text: string): Line {
  const [first] = parseMarkdown(text);
  return first?.type === 'paragraph' ? first.line : [{ type: 'text', text }];
}

/** `marked` takes tokens of extensions, too, and there are none. */
function isKnown(token: Token): token is MarkedToken {
  return token.type !== '';
}

function blocksOf(tokens: readonly Token[]): readonly Block[] {
  return tokens.filter(isKnown).flatMap(blockOf);
}

function blockOf(token: MarkedToken): readonly Block[] {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'hr':
      return [];
    case 'heading':
      return [{ type: 'heading', line: lineOf(token.tokens) }];
    case 'code':
      return [{ type: 'code', text: token.text }];
    case 'blockquote':
      return [{ type: 'quote', blocks: blocksOf(token.tokens) }];
    case 'list': {
      const { ordered: isOrdered, start, items } = token;
      const inside = items.map((item) => blocksOf(item.tokens));
      return [{ type: 'list', isOrdered, start: start === '' ? 1 : start, items: inside }];
    }
    case 'table': {
      const { header, rows } = token;
      return [
        {
          type: 'table',
          header: header.map((cell) => lineOf(cell.tokens)),
          rows: rows.map((row) => row.map((cell) => lineOf(cell.tokens))),
        },
      ];
    }
    case 'paragraph':
      return [{ type: 'paragraph', line: lineOf(token.tokens) }];
    case 'br':
    case 'checkbox':
    case 'codespan':
    case 'del':
    case 'em':
    case 'escape':
    case 'html':
    case 'image':
    case 'link':
    case 'list_item':
    case 'strong':
    case 'text':
      return [{ type: 'paragraph', line: lineOf([token]) }];
  }
}

function lineOf(tokens: readonly Token[]): Line {
  return tokens.filter(isKnown).flatMap(inlineOf);
}

function inlineOf(token: MarkedToken): Line {
  switch (token.type) {
    case 'br':
      return [{ type: 'break' }];
    case 'codespan':
      return [{ type: 'code', text: token.text }];
    case 'strong':
      return [{ type: 'strong', inside: lineOf(token.tokens) }];
    case 'em':
      return [{ type: 'emphasis', inside: lineOf(token.tokens) }];
    case 'text':
      return token.tokens === undefined ? [{ type: 'text', text: token.text }] : lineOf(token.tokens);
    case 'escape':
      return [{ type: 'text', text: token.text }];
    case 'link': {
      const words = lineOf(token.tokens);
      return token.text === token.href ? words : [...words, { type: 'text', text: ` (${token.href})` }];
    }
    case 'blockquote':
    case 'checkbox':
    case 'code':
    case 'def':
    case 'del':
    case 'heading':
    case 'hr':
    case 'html':
    case 'image':
    case 'list':
    case 'list_item':
    case 'paragraph':
    case 'space':
    case 'table':
      return [{ type: 'text', text: token.raw }];
  }
}
