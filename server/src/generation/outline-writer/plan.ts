/** What an outline plans: the sections of each length, and what each tone asks for. */
import type { Length, Tone } from '../brief.ts'

/** A section: what it covers, the reader's question that it answers, and its share of the words. */
export type SectionTemplate = { heading: string; covers: string[]; answers: string; weight: number }

const SHORT: readonly SectionTemplate[] = [
  {
    heading: 'Where to start',
    covers: [
      'The situation that brings people to this subject.',
      'What they usually do first, and why it falls short.',
      'The one thing to know before anything else.',
    ],
    answers: 'Is this for me?',
    weight: 1,
  },
  {
    heading: 'How it works in practice',
    covers: [
      'The parts and how they hang together.',
      'An example followed from beginning to end.',
      'What decides the outcome, and what is only often talked about.',
    ],
    answers: 'What does it look like in a real case?',
    weight: 1.7,
  },
  {
    heading: 'The decisions you have to make',
    covers: [
      'Each decision as a question, with what speaks for either side.',
      'A sensible default for those who do not want to decide.',
      'What can be changed later and what cannot.',
    ],
    answers: 'What would you choose?',
    weight: 1.3,
  },
  {
    heading: 'The mistakes that cost most',
    covers: [
      'Three to five mistakes, each with its cause and its first sign.',
      'How to put each right.',
      'The well-meant advice that does not help.',
    ],
    answers: 'What goes wrong most often?',
    weight: 1.1,
  },
]

const MEDIUM: readonly SectionTemplate[] = [
  ...SHORT,
  {
    heading: 'What it costs, and what it brings',
    covers: [
      'Time, money and attention, at the beginning and later: figures of your own.',
      'What one has from it, and when.',
      'When it is not worth it.',
    ],
    answers: 'When does it pay off?',
    weight: 1,
  },
  {
    heading: 'A plan for the first weeks',
    covers: [
      'What to do today, this week, this month.',
      'How to see that it is going well.',
      'When to ask for help, and whom.',
    ],
    answers: 'What do I do first?',
    weight: 1,
  },
]

const LONG: readonly SectionTemplate[] = [
  ...MEDIUM,
  {
    heading: 'What speaks against it',
    covers: [
      'The best objection, as its holder would put it.',
      'What is right about it.',
      'Why your position stands nevertheless, or where it ends.',
    ],
    answers: 'Who disagrees, and why?',
    weight: 1,
  },
  {
    heading: 'For those who want to go further',
    covers: [
      'The next subject, and why it comes next.',
      'Where to read on, with your reasons.',
      'A question that is still open.',
    ],
    answers: 'What comes next?',
    weight: 0.8,
  },
]

/** The sections of each length, between the introduction and the conclusion. */
export const PLANS: Record<Length, readonly SectionTemplate[]> = { short: SHORT, medium: MEDIUM, long: LONG }

/** How each tone begins and ends, and what it asks for throughout. */
export const TONE_NOTES: Record<Tone, { opening: string; throughout: string; ending: string }> = {
  professional: {
    opening: 'Open with the situation in the reader’s work that raises the question, then the answer in one sentence.',
    throughout: 'Exact terms, figures with their source, no selling.',
    ending: 'The decision or the next step, with who should take it. No summary.',
  },
  casual: {
    opening: 'Open with a small scene that you have seen yourself, then say what the reader will be able to do.',
    throughout: 'Write it as you would say it; one aside at most.',
    ending: 'One thing to try today, and what to expect from it.',
  },
  educational: {
    opening: 'Open with what the reader knows already and the point at which that stops being enough.',
    throughout: 'Explain each new term where it first appears, and work one example through.',
    ending: 'An exercise with which readers can test what they have understood, and what to learn next.',
  },
  persuasive: {
    opening: 'Open with what it costs to leave things as they are, in one case. State your position in one sentence.',
    throughout: 'A reason or an example for every claim; end with what follows for the reader.',
    ending: 'What the reader should do now, in its smallest form, and why not later.',
  },
}

/** Questions that readers ask about most subjects. */
export const QUESTIONS = [
  'How long does it take?',
  'What does it cost?',
  'What is the most common mistake?',
  'Can I do it myself?',
  'When is it not worth it?',
] as const
