/**
 * Estimates the cost of parsing a Markdown text, in one pass over it. The parser's time is quadratic in the number of
 * delimiters and brackets within one paragraph (each closer walks back over all before it), and of underlined headings
 * and quotes within the document. 20 kB of `*a **b ` took 2.6 s, 100 kB of `a* ` more than 15 s.
 *
 * The weights were fitted to about 100 such texts, so that the estimate is above what was measured. Only blank lines
 * separate paragraphs here, and code counts as text: both can only make the estimate higher.
 */
type MarkdownCost = {
  /** Estimated time to read it, in microseconds of a 2020s server core. */
  micros: number
  /** Most container markers (`>`, `-`, `1.`) at the start of one line. */
  markers: number
}

/** Linear cost of one character, in µs. */
const perCharacter: Record<string, number> = {
  ...{ '[': 20, ']': 20, '@': 20, '|': 40 },
  ...{ '<': 8, '`': 6, ':': 6, w: 6, W: 6, '\\': 4, '!': 4, '&': 3 },
}
const perAnyCharacter = 0.4
const perDelimiterRun = 12
const perLine = 8
const perTextLine = 10
const perBlock = 60
const perItem = 60
const perRow = 100
const perCharacterBesideTag = 2
const perNestedLine = 10
const perPrefixCharacter = 13
/** A character that is read again in search of the end of a comment or code span. Measured: 0.013. */
const perSearchedCharacter = 0.02

/** Quadratic cost within a paragraph: the weights, in √µs, are added up and squared. */
const squared = { delimiterRun: 0.28, bracket: 0.063, other: 0.03, line: 0.15, row: 0.05 }
/** Quadratic cost within the document, in √µs: per container or paragraph that a line ends or turns into a heading. */
const squaredPerEnd = 0.4

/** HTML within a text that only its own end closes. Where that is missing, the parser reads on to the end of the paragraph, for each. */
const enclosed = [
  { start: /<!--/g, end: '-->' },
  { start: /<\?/g, end: '?>' },
  { start: /<!\[CDATA\[/g, end: ']]>' },
  { start: /<![a-z]/gi, end: '>' },
]

const blank = /^[ \t]*$/
const prefixPattern = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))*/
const heading = /^[ \t]*#/
const delimiterRow = /^[ \t>]*[|:-][ \t|:-]*$/
const underline = /^[ \t>]*(?:=+|-+)[ \t]*$/

/** The estimate, made before any recursive or quadratic code sees the text. Linear time, constant depth. */
export function markdownCost(markdown: string): MarkdownCost {
  let micros = markdown.length * perAnyCharacter
  let markers = 0
  let nesting = 0
  let weight = 0
  let ends = 0
  let previous = noContainers
  let afterBlank = true
  let inTable = false
  let search = searchCost()
  for (const line of markdown.split(/\r\n?|\n/)) {
    micros += perLine
    if (blank.test(line)) {
      micros += weight ** 2 + nesting
      weight = 0
      afterBlank = true
      inTable = false
      search = searchCost()
      continue
    }
    const containers = containersOf(line)
    markers = Math.max(markers, containers.markers)
    nesting = Math.max(nesting, containers.markers + (containers.markers > 0 ? containers.indent / 2 : 0))
    ends += endsBetween(previous, containers, afterBlank) + (underline.test(line) ? 1 : 0)
    if (afterBlank || heading.test(line)) micros += perBlock
    if (containers.markers > 0) micros += perItem
    inTable ||= line.includes('|') || delimiterRow.test(line)
    const inline = inlineCost(line)
    micros +=
      perTextLine + inline.micros + search(line) + nesting * perNestedLine + containers.length * perPrefixCharacter
    micros += (inTable ? perRow : 0) + (line.includes('<') ? line.length * perCharacterBesideTag : 0)
    weight += squared.line + inline.weight + (inTable ? squared.row : 0)
    previous = containers
    afterBlank = false
  }
  micros += weight ** 2 + (ends * squaredPerEnd) ** 2
  return { micros, markers }
}

/** The container markers at the start of a line: their number, their total `length`, and the `indent` before them. */
type Containers = { markers: number; isQuote: boolean; indent: number; length: number }
const noContainers: Containers = { markers: 0, isQuote: false, indent: 0, length: 0 }

function containersOf(line: string): Containers {
  const prefix = prefixPattern.exec(line)?.[0] ?? ''
  if (prefix === '') return noContainers
  const markers = prefix.match(/[>+*-]|\d+/g)?.length ?? 0
  return { markers, isQuote: prefix.includes('>'), indent: prefix.search(/[^ \t]/), length: prefix.length }
}

/** How many containers may end before a line. */
function endsBetween(previous: Containers, next: Containers, afterBlank: boolean): number {
  if (next.markers > 1 || next.isQuote) return afterBlank || next.markers > 1 || !previous.isQuote ? next.markers : 0
  if (next.markers === 0) return previous.isQuote || (afterBlank && previous.markers > 0) ? 1 : 0
  return Math.max(0, previous.indent - next.indent) / 2 + (previous.isQuote ? 1 : 0)
}

function inlineCost(line: string): { micros: number; weight: number } {
  let micros = 0
  let weight = 0
  for (const character of line) {
    const cost = perCharacter[character]
    if (cost === undefined) continue
    micros += cost
    weight += character === '[' || character === ']' ? squared.bracket : squared.other
  }
  for (const { 0: run, index } of line.matchAll(/\*+|_+|~+/g)) {
    const around = `${line[index - 1] ?? ' '}${line[index + run.length] ?? ' '}`
    // Neither opens nor closes anything: `a * b`, `a_b`.
    const isIdle = /^[ \t]{2}$/.test(around) || (run.startsWith('_') && /^[0-9a-z]{2}$/i.test(around))
    micros += isIdle ? 0 : perDelimiterRun
    weight += isIdle ? squared.other : squared.delimiterRun
  }
  return { micros, weight }
}

/**
 * The cost of searching the lines of a paragraph for ends, given one after the other. A comment costs the lines from its start to
 * the next end; code spans cost each line once per length of their fences, because the next fence of the same length ends a search.
 */
function searchCost(): (line: string) => number {
  const open = enclosed.map(() => 0)
  const fences = new Set<number>()
  return (line) => {
    let searches = 0
    for (const [index, { start, end }] of enclosed.entries()) {
      const before = open[index] ?? 0
      const starts = line.includes('<') ? [...line.matchAll(start)] : []
      const lastEnd = line.lastIndexOf(end)
      searches += before + starts.length
      open[index] = lastEnd === -1 ? before + starts.length : starts.filter((one) => one.index > lastEnd).length
    }
    for (const [run] of line.matchAll(/`+/g)) fences.add(run.length)
    return (searches + fences.size) * line.length * perSearchedCharacter
  }
}
