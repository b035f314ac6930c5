import { html, type Token, Tokenizer, TokenizerMode } from 'parse5'

/** The parts of a page that hold clues: its start tags, the beginnings of its inline scripts, and its text, in which tags are spaces. */
export type Markup = { tags: Tag[]; scripts: string[]; text: string }

/** A start tag; the name and the attributes' names are in lower case. */
export type Tag = { name: string; attributes: ReadonlyMap<string, string> }

const SCRIPT_CHARACTERS = 4_096

/** Elements whose content is text, even if it looks like tags. */
const TEXT_MODES: Partial<Record<string, Tokenizer['state']>> = {
  script: TokenizerMode.SCRIPT_DATA,
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  plaintext: TokenizerMode.PLAINTEXT,
}

const EXECUTABLE = /^(?:module|(?:text|application)\/(?:java|ecma)script)?$/i

/**
 * Reads HTML, whole or cut off. It only tokenizes: building the tree can take time quadratic in the length (nested
 * formatting), while 256 KiB made to be slow were tokenized in 0.1 s. Tags inside text, comments or scripts do not count.
 */
export function readMarkup(page: string): Markup {
  const tags: Tag[] = []
  const scripts: string[] = []
  const text: string[] = []
  let inScript = false
  let isText = true
  const onText = ({ chars }: Token.CharacterToken) => {
    if (isText) text.push(chars)
    if (!inScript) return
    const last = scripts.length - 1
    const before = scripts[last] ?? ''
    if (before.length < SCRIPT_CHARACTERS) scripts[last] = (before + chars).slice(0, SCRIPT_CHARACTERS)
  }
  const tokenizer = new Tokenizer(
    {},
    {
      onStartTag({ tagName, attrs }) {
        const attributes = new Map(attrs.map(({ name, value }) => [name, value]))
        tags.push({ name: tagName, attributes })
        const mode = TEXT_MODES[tagName]
        if (mode !== undefined) tokenizer.state = mode
        isText = mode === undefined || mode === TokenizerMode.RCDATA
        text.push(' ')
        inScript = tagName === html.TAG_NAMES.SCRIPT && EXECUTABLE.test(attributes.get('type')?.trim() ?? '')
        if (inScript) scripts.push('')
      },
      onEndTag() {
        inScript = false
        isText = true
        text.push(' ')
      },
      onCharacter: onText,
      onWhitespaceCharacter: onText,
      onNullCharacter() {},
      onComment() {},
      onDoctype() {},
      onEof() {},
    },
  )
  tokenizer.write(page, true)
  return { tags, scripts, text: text.join('') }
}
