/** The brief of a draft: the request, with what is known of the site. Fixed when the job is created. */

/** Lengths and their approximate number of words (specification, section 4). */
export const TARGET_WORDS = { short: 800, medium: 1_500, long: 2_500 } as const
export const LENGTHS = ['short', 'medium', 'long'] as const
export type Length = (typeof LENGTHS)[number]

export const TONES = ['professional', 'casual', 'educational', 'persuasive'] as const
export type Tone = (typeof TONES)[number]

/** A page of the site that a draft may link to. `certain`: the address is the post's own, not built from its slug. */
export type Page = { title: string; url: string; certain: boolean }

/** The first keyword is the primary one. Unknown texts and lists are empty. */
export type Brief = {
  topic: string
  length: Length
  tone: Tone
  includeFaq: boolean
  keywords: string[]
  niche: string
  siteName: string
  pages: Page[]
}
