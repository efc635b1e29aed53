/** What a row of an event says, taken apart so that rows can be told from each other in little room. */
export interface EventWords {
  /** What was asked, without what the rows of a tool begin with alike. */
  readonly asked: string;
  /** What came of it; empty for what is no result. */
  readonly said: string;
}

/** What separates a result's question from its answer. */
const BETWEEN = ' · ';

/** Of a call: `(command: "cd /testbed && ls")` is `ls`. Arguments that are more than one text stay as they are. */
export function callWords(what: string): EventWords {
  const alone = /^\(\w+: "((?:[^"\\]|\\.)*)(?:"\)|…?)$/.exec(what)?.[1];
  return {
    asked: alone === undefined ? what : withoutFolder(alone.replaceAll(/\\(["\\])/g, '$1')),
    said: '',
  };
}

/** Of a result: `cd /testbed && ls · total 240` is `ls`, which said `total 240`. */
export function resultWords(what: string): EventWords {
  const at = what.indexOf(BETWEEN);
  if (at < 0) return { asked: withoutFolder(what), said: '' };
  return { asked: withoutFolder(what.slice(0, at)), said: what.slice(at + BETWEEN.length) };
}

/** Agents go to their folder before each command. */
function withoutFolder(command: string): string {
  return command.replace(/^cd [^\s;]+(?: &&|;) (?=\S)/, '');
}

/** A text in two: where there is no room for it, the end of the first gives way, and the last letters stay. */
export function splitForRoom(text: string): readonly [head: string, tail: string] {
  const LEAST = 40;
  const TAIL = 16;
  return text.length < LEAST ? [text, ''] : [text.slice(0, -TAIL), text.slice(-TAIL)];
}
