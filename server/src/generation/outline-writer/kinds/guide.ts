import type { PlanSection } from '../plan-section.ts'

/** Sections that introduce any other subject. */
export function guide(): PlanSection[] {
  return [
    {
      heading: 'Where to start',
      purpose: 'Meet readers where they are: what they see, what they have tried.',
      notes: [
        'The situation that brings people to this subject.',
        'What they usually do first, and why it falls short.',
        'The one thing to know before anything else.',
      ],
      questions: ['Is this for me?', 'What is the first thing to understand?'],
      weight: 1,
      from: 1,
      gist: 'where to start',
    },
    {
      heading: 'How it works in practice',
      purpose: 'The core: the subject as somebody who deals with it every day sees it.',
      notes: [
        'The parts and how they hang together.',
        'An example followed from beginning to end.',
        'What decides the outcome, and what is only often talked about.',
        'A table or a drawing you could add.',
      ],
      questions: ['How do the parts fit together?', 'What does it look like in a real case?'],
      weight: 1.7,
      from: 1,
      gist: 'how it works in practice',
    },
    {
      heading: 'The decisions you have to make',
      purpose: 'Readers want to decide; give them the forks in the road.',
      notes: [
        'Each decision as a question, with what speaks for either side.',
        'A sensible default for those who do not want to decide.',
        'What can be changed later and what cannot.',
      ],
      questions: ['What do I have to choose?', 'What would you choose?'],
      weight: 1.3,
      from: 1,
      gist: 'the decisions to make',
    },
    {
      heading: 'The mistakes that cost most',
      purpose: 'Your experience: what only somebody who has done it often can tell.',
      notes: [
        'Three to five mistakes, each with its cause and its first sign.',
        'How to put each right.',
        'The well-meant advice that does not help.',
      ],
      questions: ['What goes wrong most often?', 'How do I notice in time?'],
      weight: 1.1,
      from: 1,
      gist: 'the mistakes to avoid',
    },
    {
      heading: 'What it costs, and what it brings',
      purpose: 'An honest balance, with figures of your own and what they depend on.',
      notes: [
        'Time, money and attention, at the beginning and later.',
        'What one has from it, and when.',
        'When it is not worth it.',
      ],
      questions: ['What will I have spent in a year?', 'When does it pay off?'],
      weight: 1,
      from: 2,
      gist: 'costs and benefits',
    },
    {
      heading: 'A plan for the first weeks',
      purpose: 'From reading to doing.',
      notes: [
        'What to do today, this week, this month.',
        'How to see that it is going well.',
        'When to ask for help, and whom.',
      ],
      questions: ['What do I do first?', 'How do I know that I am on the right way?'],
      weight: 1,
      from: 2,
      gist: 'a plan to begin with',
    },
    {
      heading: 'For those who want to go further',
      purpose: 'What lies beyond the basics, for readers who come back.',
      notes: [
        'The next subject, and why it comes next.',
        'Where to read on, with your reasons.',
        'A question that is still open.',
      ],
      questions: ['What comes next?'],
      weight: 0.8,
      from: 3,
      gist: 'how to go further',
    },
  ]
}
