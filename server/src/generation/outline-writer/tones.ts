/** What a tone changes in an outline. */
import type { Tone } from '../brief.ts'
import type { PlanSection } from './plan-section.ts'

/** Sections that a tone adds to those of the kind. */
export const TONE_SECTIONS: Partial<Record<Tone, PlanSection>> = {
  educational: {
    heading: 'The words to know first',
    purpose: 'Nobody should have to look anything up while reading on.',
    notes: [
      'The three to five terms that the rest needs, each explained by an example.',
      'Where a term means something else in everyday language.',
      'What a beginner takes it to mean, and what is wrong with that.',
      'Which of them can be forgotten again.',
    ],
    questions: ['What does this mean?', 'What is the difference between these two?'],
    weight: 0.8,
    from: 1,
    gist: 'the words to know',
  },
  persuasive: {
    heading: 'What speaks against it',
    purpose: 'The best objection in its best form; readers notice when it is missing.',
    notes: [
      'The objection as its holder would put it.',
      'What is right about it.',
      'Why your position stands nevertheless, or where it ends.',
      'What would change your mind.',
    ],
    questions: ['Who disagrees, and why?', 'When is it wrong?'],
    weight: 1,
    from: 1,
    gist: 'the best objection',
  },
}

/** How to begin. */
export const OPENINGS: Record<Tone, string> = {
  professional:
    'Open with the situation in the reader’s work that raises the question, then the answer in one sentence. No history of the subject.',
  casual:
    'Open with a small scene that you have seen yourself: who, where, what went wrong. Then say what the reader will be able to do.',
  educational:
    'Open with what the reader knows already and the point at which that stops being enough. Name what they will understand at the end.',
  persuasive:
    'Open with what it costs the reader to leave things as they are, in one concrete case. State your position in one sentence.',
}

/** How to end. */
export const ENDINGS: Record<Tone, string> = {
  professional: 'The decision or the next step, with who should take it. No summary.',
  casual: 'One thing to try today, and what to expect from it.',
  educational: 'An exercise with which readers can test what they have understood, and what to learn next.',
  persuasive: 'What the reader should do now, in its smallest form, and why not later.',
}

/** What to keep in mind throughout. */
export const REMINDERS: Record<Tone, string> = {
  professional: 'Exact terms, figures with their source, no selling.',
  casual: 'Write it as you would say it; one aside at most.',
  educational: 'Explain each new term where it first appears, and work one example through.',
  persuasive: 'A reason or an example for every claim; end with what follows for the reader.',
}
