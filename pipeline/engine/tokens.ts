/**
 * Source code without what cannot change what it does: comments, indentation, line breaks that end no statement, and
 * commas that end a list. Two files with the same tokens do the same; files that do the same may well differ here
 * (other quotes, a type changed), which costs a needless rerun and nothing else. Where the text cannot be told apart
 * for certain (a `/` that may divide or begin a regular expression), the answer is null: compare the text itself then.
 */

const BLANK = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const WORD = /[\p{L}\p{N}_$#@\\\u200c\u200d]+/uy;
const NUMBER = /0[xXbBoO][\da-fA-F_]+n?|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?n?/y;
/** A run of operators, as it stands: `- -x` is not `--x`. */
const RUN = /[+\-*%=<>!&|^~?:.]+/y;
const BRACKET = /[()[\]{};,]/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
/** A template from its backtick, or from the brace that ends a `${}`, up to the next `${` or its end. */
const TEMPLATE = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const REGULAR_EXPRESSION = /\/(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/y;

/** Words after which an expression begins, so that a `/` begins a regular expression. */
const BEFORE_EXPRESSION = new Set('return typeof case in void delete instanceof new throw else do'.split(' '));
/** Words that may be names as well. */
const DOUBTFUL = new Set(['of', 'yield', 'await', 'async', 'as', 'satisfies', 'is', 'keyof']);
const STRING_BEGINS = /^['"]/;
const WORD_BEGINS = /^[\p{L}\p{N}_$#]/u;
const BEFORE_CONDITION = new Set(['if', 'while', 'for', 'with']);

/** The tokens of JavaScript or TypeScript in order, line breaks that may end a statement among them; null in doubt. */
export function tokensOf(text: string): string[] | null {
  const tokens: string[] = [];
  /** For each open parenthesis, whether what it holds is a condition and no value; for each brace, whether a template's. */
  const open: ('value' | 'condition' | 'doubt' | 'template' | 'block')[] = [];
  let closed: (typeof open)[number] = 'value';
  let at = text.startsWith('#!') ? text.indexOf('\n') : 0;
  let broken = false;

  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  const take = (token: string) => {
    const last = tokens.at(-1);
    if (broken && last !== undefined && endsStatement(last) && beginsStatement(token, text[at + 1])) tokens.push('\n');
    if (')]}'.includes(token) && tokens.at(-1) === ',' && !'[(,'.includes(tokens.at(-2) ?? ',')) tokens.pop();
    tokens.push(token);
    at += token.length;
    broken = false;
  };
  /** Whether token `i` ends a value, so that a `/` after it divides; false: a value begins; null: one of the two. */
  const endsValue = (i: number): boolean | null => {
    const token = tokens[i];
    if (token === undefined || '([{,;'.includes(token)) return false;
    if (token === ')') return closed === 'doubt' ? null : closed === 'value';
    if (token === ']' || token.endsWith('`') || STRING_BEGINS.test(token)) return true;
    if (WORD_BEGINS.test(token)) {
      if (BEFORE_EXPRESSION.has(token)) return tokens[i - 1]?.endsWith('.') ? null : false;
      return DOUBTFUL.has(token) ? null : true;
    }
    // After a value, on its line, it says that the value is there (TypeScript); else it negates what follows.
    if (token === '!') return endsValue(i - 1);
    if (token.endsWith('=>')) return false;
    return isOperator(token) && !/(?:\+\+|--|!|>|\.)$/.test(token) ? false : null;
  };
  /** As `endsValue` of the last token; a regular expression ends on its own line, so without another `/` it divides. */
  const divides = (): boolean | null => {
    const certain = endsValue(tokens.length - 1);
    if (certain !== null) return certain;
    const end = text.indexOf('\n', at);
    return text.slice(at + 1, end === -1 ? text.length : end).includes('/') ? null : true;
  };

  while (at < text.length) {
    const blank = match(BLANK);
    if (blank !== null) {
      broken ||= blank.includes('\n');
      at += blank.length;
      continue;
    }
    const inTemplate = text[at] === '}' && open.at(-1) === 'template';
    if (text[at] === '`' || inTemplate) {
      const piece = match(TEMPLATE);
      if (piece === null) return null;
      if (inTemplate && piece.endsWith('`')) open.pop();
      if (!inTemplate && piece.endsWith('{')) open.push('template');
      take(piece);
      continue;
    }
    if (text[at] === '/') {
      const division = divides();
      const token = division ? (text[at + 1] === '=' ? '/=' : '/') : match(REGULAR_EXPRESSION);
      if (division === null || token === null) return null;
      take(token);
      continue;
    }
    const token = match(STRING) ?? match(NUMBER) ?? match(WORD) ?? match(RUN) ?? match(BRACKET);
    if (token === null) return null;
    if (token === '(') {
      const before = tokens.at(-1) ?? '';
      const isName = tokens.at(-2)?.endsWith('.') ?? false;
      open.push(before === 'await' || isName ? 'doubt' : BEFORE_CONDITION.has(before) ? 'condition' : 'value');
    } else if (token === '{' || token === '[') open.push('block');
    else if (token === ')' || token === ']' || token === '}') {
      const opened = open.pop();
      if (opened === undefined || opened === 'template') return null;
      closed = opened;
    }
    take(token);
  }
  return open.length === 0 ? tokens : null;
}

function isOperator(token: string): boolean {
  return token === '/' || token === '/=' || /^[+\-*%=<>!&|^~?:.]+$/.test(token);
}

/** Whether a line break after `token` may end a statement. */
function endsStatement(token: string): boolean {
  if ('([{,;'.includes(token)) return false;
  return !isOperator(token) || (/(?:\+\+|--|!|>)$/.test(token) && !token.endsWith('=>'));
}

/** Whether a line break before `token` may end a statement: not where the token can only go on with it. */
function beginsStatement(token: string, next: string | undefined): boolean {
  if (token === '.') return /\d/.test(next ?? '');
  return !')]},;'.includes(token) && !(isOperator(token) && /^(?:[=&|^?:%]|\.\.\.)/.test(token));
}
