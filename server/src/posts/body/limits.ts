/** Why a body was refused. The message continues a sentence that starts with the path: "is nested deeper than 64 levels". */
export class BodyError extends Error {
  override readonly name = 'BodyError'
  /** Dotted path within the body, for example `html` or `json.content.3.attrs.level`. */
  readonly path: string

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.path = path
  }
}

/** UTF-8 bytes of each of the three forms, given or derived. */
export const maxFormBytes = 1_048_576
/** Nodes of a document, including text nodes but not the document itself. */
export const maxDocNodes = 20_000
/** Levels below the document node. */
export const maxDocDepth = 64

// The HTML and Markdown trees of a document are wider and deeper than the document itself: one element per mark,
// `tbody`, layout containers. These two bound the work of the recursive libraries and keep them far from a stack
// overflow, which starts at 1,350 levels (remark-stringify) and 1,430 (hast-util-to-html).
const maxTreeNodes = 60_000
const maxTreeDepth = 256

/** Throws BodyError if `text`, the given or derived `form`, is too large; `path` is what the author gave. */
export function assertFormSize(text: string, form: string, path: string): void {
  if (Buffer.byteLength(text) <= maxFormBytes) return
  throw new BodyError(path, form === path ? 'must be at most 1 MiB' : `would be larger than 1 MiB as ${form}`)
}

/** Throws BodyError for characters that a database or an HTML parser cannot keep: U+0000 and lone surrogates. */
export function assertStorableText(text: string, path: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new BodyError(path, 'must not contain U+0000 or lone surrogates')
  }
}

/** Counts nodes up to a maximum; the returned function throws BodyError when `by` more nodes are too many. */
export function nodeBudget(path: string, max: number = maxTreeNodes): (by?: number) => void {
  let left = max
  return (by = 1) => {
    left -= by
    if (left < 0) throw new BodyError(path, `has more than ${max} nodes`)
  }
}

/**
 * Counts characters that parsing repeats: attributes of formatting that continues in further paragraphs, the address of a link that is
 * defined once. The returned function throws BodyError when they exceed twice the largest source.
 */
export function copyBudget(path: string): (characters: number) => void {
  let left = 2 * maxFormBytes
  return (characters) => {
    left -= characters
    if (left < 0) throw new BodyError(path, 'repeats long addresses or other attributes too often')
  }
}

export function tooDeep(path: string, max: number): BodyError {
  return new BodyError(path, `is nested deeper than ${max} levels`)
}

/** Throws BodyError if the tree is too large or too deep for recursive code. Does not recurse itself. */
export function assertTreeSize<Node>(root: Node, childrenOf: (node: Node) => readonly Node[], path: string): void {
  const count = nodeBudget(path)
  let level: Node[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxTreeDepth) throw tooDeep(path, maxTreeDepth)
    const next: Node[] = []
    for (const node of level) {
      const children = childrenOf(node)
      count(children.length)
      for (const child of children) next.push(child)
    }
    level = next
  }
}
