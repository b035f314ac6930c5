import { capital } from '../capital.ts'
import type { PlanSection } from '../plan-section.ts'

/** Sections that explain what something is. */
export function explanation(subject: string): PlanSection[] {
  return [
    {
      heading: `${capital(subject)} in one paragraph`,
      purpose: 'The definition that a search engine may quote: complete in 40 to 60 words.',
      notes: [
        'What it is, what it is for, who has to do with it.',
        'The word it is most often confused with, and the difference.',
        'A comparison with something everybody knows.',
      ],
      questions: ['What is it, in plain words?', 'What is it not?'],
      weight: 0.8,
      from: 1,
      gist: 'what it is',
    },
    {
      heading: 'How it works',
      purpose: 'The mechanism, at the depth that the rest of the article needs.',
      notes: [
        'Its parts, in the order in which they come into play.',
        'One example followed from beginning to end.',
        'What decides how well it works.',
        'A drawing you could add.',
      ],
      questions: ['What happens first?', 'What does it depend on?'],
      weight: 1.6,
      from: 1,
      gist: 'how it works',
    },
    {
      heading: 'Where you meet it',
      purpose: 'From the abstract to the reader’s life.',
      notes: [
        'Two or three situations in which it matters.',
        'What it changes there, and for whom.',
        'When it does not matter at all.',
      ],
      questions: ['Does it concern me?', 'When do I notice it?'],
      weight: 1.1,
      from: 1,
      gist: 'where it matters',
    },
    {
      heading: 'What people get wrong about it',
      purpose: 'Clear away what stands in the way.',
      notes: [
        'Three misunderstandings, each with its kernel of truth.',
        'Where each comes from.',
        'What to think instead.',
      ],
      questions: ['Is it true that …?'],
      weight: 1,
      from: 2,
      gist: 'common misunderstandings',
    },
    {
      heading: 'What speaks for it, and what against',
      purpose: 'A fair account, so that readers can judge for themselves.',
      notes: [
        'Its advantages, each with the case in which it shows.',
        'Its price: money, time, risk, dependence.',
        'What it is being replaced by, if it is.',
      ],
      questions: ['What is it good for?', 'What does it cost?'],
      weight: 1.1,
      from: 2,
      gist: 'its advantages and limits',
    },
    {
      heading: 'How to begin with it',
      purpose: 'A first step for those who want one.',
      notes: ['The smallest sensible first step.', 'What to learn next, in order.', 'What can wait.'],
      questions: ['Where do I start?', 'What do I need to know first?'],
      weight: 1,
      from: 1,
      gist: 'how to begin',
    },
    {
      heading: 'The words you will meet',
      purpose: 'A glossary of the terms that the article uses.',
      notes: ['Five to eight terms, one line each, in the order in which they build on each other.'],
      questions: ['What does this word mean?'],
      weight: 0.6,
      from: 3,
      gist: 'the terms',
    },
  ]
}
