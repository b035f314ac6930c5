/**
 * The words of a text, as they are searched: the same for what is stored and for what is typed, and in every database (decision 0035).
 * Lower case, without accents, in plain letters; signs separate words, and scripts that write no spaces are split by a dictionary.
 */
import { transliterate } from 'transliteration'
import { normalized } from '../platform/normalize.ts'

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Scripts that write no spaces between words. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu

/**
 * Lower case and without accents, because people type "cafe" for "Café", and the same letter may be one character or two; letters of the
 * Latin script in their plain form, as in slugs ("Łódź" is "lodz"). Only the marks of Latin, Greek and Cyrillic letters go, in other scripts
 * they are vowels. Invisible characters go too; signs stay.
 */
export function folded(text: string): string {
  const bare = normalized(normalized(text, 'NFKC').toLowerCase(), 'NFD').replaceAll(/[\u0300-\u036f]|\p{Cf}/gu, '')
  return normalized(bare, 'NFC').replaceAll(/(?![a-z])\p{Script=Latin}/gu, plainLetter)
}

function plainLetter(letter: string): string {
  return transliterate(letter).toLowerCase()
}

/**
 * How much of a text is indexed (bytes of UTF-8). PostgreSQL refuses a search vector over 1 MiB; twice this much text in the most
 * awkward words stays well below.
 */
const INDEXED_BYTES = 200_000

/**
 * The words that are indexed of a text. Cut before they are folded and separated, which are slow: 200 KB of Chinese take some 55 ms, so
 * bodies have it done where they are converted.
 */
export function indexedWords(text: string): string {
  const most = Buffer.from(folded(text.slice(0, INDEXED_BYTES)))
    .subarray(0, INDEXED_BYTES)
    .toString('utf8')
  return separated(most.replace(/\uFFFD+$/, ''))
}

/**
 * The words of a folded text, separated by spaces. Whatever is no letter, digit or mark separates words: PostgreSQL would take
 * `client/server` for a path, an address for one word, and the 4 of `GPT-4` for a negative number.
 */
export function separated(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ').replaceAll(WITHOUT_SPACES, segmented)
}

function segmented(run: string): string {
  return ` ${Array.from(segmenter.segment(run), ({ segment }) => segment).join(' ')} `
}
