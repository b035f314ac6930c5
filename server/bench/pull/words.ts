/** Made-up text with the word frequencies of real text, and terms to search for in it. */
import { randomFrom } from '../../test/support/random.ts'

const STOPPED = 'the of and to in a is that for it as was with be by on not he his but at are this have from'
const FREQUENT =
  'bread garden summer house water light people story world morning travel kitchen music forest market coffee winter letter river window ' +
  'village season table weather teacher mountain picture evening butter flour recipe island station harbour concert neighbour museum ladder'
const SYLLABLES =
  'ba be bi bo ca co cu da de di fa fe fi ga go gu ha he ka ke la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se so ta te ti to va ve vo za zu'
const ENDINGS = ['', '', 's', 'ing', 'ed', 'er', 'ness']
const WORDS = 20_000
const PARAGRAPHS = 5_000
const PARAGRAPH_WORDS = 80
const TITLES = 20_000
const TITLE_WORDS = 5

type Texts = {
  /** To put bodies together from. */
  paragraphs: string[]
  titles: string[]
  /** Search terms, by the case that they stand for. */
  terms: Record<string, string[]>
}

/** The same texts every time. Word number `r` has a frequency of 1/r (Zipf's law); each title also has a word of its own. */
export function makeTexts(): Texts {
  const random = randomFrom(7)
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? ''
  const syllables = SYLLABLES.split(' ')
  const made = (length: number) => Array.from({ length }, () => pick(syllables)).join('')
  const known = new Set([...STOPPED.split(' '), ...FREQUENT.split(' ')])
  while (known.size < WORDS) known.add(made(3) + pick(ENDINGS))
  const words = [...known]
  const sentence = (length: number) => {
    const text = Array.from({ length }, () => words[Math.floor(WORDS ** random()) - 1] ?? '').join(' ')
    return text.charAt(0).toUpperCase() + text.slice(1)
  }
  const paragraphs = Array.from(
    { length: PARAGRAPHS },
    () => `${sentence(PARAGRAPH_WORDS / 2)}. ${sentence(PARAGRAPH_WORDS / 2)}.`,
  )
  const own = Array.from({ length: TITLES }, (_, index) => `${made(4)}${index.toString(36)}`)
  const titles = own.map((word) => `${sentence(TITLE_WORDS)} ${word}`)
  const ranked = (...ranks: number[]) => ranks.map((rank) => words[rank] ?? '')
  const [often = '', seldom = ''] = ranked(300, 15_000)
  return {
    paragraphs,
    titles,
    terms: {
      'in most posts': ['the', 'bread', 'garden', 'coffee', 'museum', 'bre'],
      'in some': ranked(300, 700, 1_500, 3_000),
      'in few': [...ranked(8_000, 15_000, 19_000), ...own.slice(0, 3)],
      'in none': ['xylophonist', 'qqqq', 'zebra crossing'],
      'several words': [
        'bread garden',
        'coffee in the morning',
        `bread ${often}`,
        `${seldom} bread`,
        `${own[7]} bread`,
        'bread xylophonist',
      ],
      'a phrase, or an exclusion': ['"of the"', '"the bread"', 'bread -garden', `"${titles[9]}"`],
    },
  }
}
